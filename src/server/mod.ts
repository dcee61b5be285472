/**
 * The server of a control repository: starting it, stopping it, and how it stands.
 *
 * @module
 */

export { SERVER_COMMAND } from "./control.ts";
export { addressInput } from "./address.ts";
export { makeLink, pagesOf, requireOpenable, writeLeading } from "./open.ts";
export { readRecord, removeRecord, tokenFile, writeFailure, writeRecord } from "./record.ts";
export { HEALTH_PATH, isProbe, lookAt, PROBE_COMMAND } from "./probe.ts";
