/**
 * Commands about the session itself.
 *
 * @module
 */

export { cancelConfirm, confirm } from "./confirm.ts";
export { scopeBack, scopeInfo } from "./scope.ts";
export { setMode } from "./set_mode.ts";
