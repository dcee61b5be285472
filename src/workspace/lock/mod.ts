/** Lock files: which commit every repository is at, and formats of other tools for the same. */

export { LOCK_FORMATS, type LockFormat, writeList } from "./formats.ts";
export { type LockedRepo, lockFile, lockText, readLock } from "./lock.ts";
export { type Pin, type Pinned, pinOutcome, pinSteps } from "./pin.ts";
