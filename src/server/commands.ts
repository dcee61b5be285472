/**
 * The commands of this room, for the registry alone: they are loaded together, when one of them is called.
 *
 * @module
 */

export { serverRestart } from "./restart.ts";
export { serverStart } from "./start.ts";
export { serverStatus } from "./status.ts";
export { serverStop } from "./stop.ts";
