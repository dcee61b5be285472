/**
 * Commands about the session itself.
 *
 * @module
 */

export { scopeBack } from "./back.ts";
export { confirm } from "./confirm.ts";
export { cancelConfirm } from "./confirm_cancel.ts";
export { scopeInfo } from "./scope.ts";
export { setMode } from "./set_mode.ts";
