/**
 * The control plane: whether one is running.
 *
 * @module
 */

export { serverStatus } from "./status.ts";
