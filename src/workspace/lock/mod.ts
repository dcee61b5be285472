/** Lock files: which commit every repository is at, and formats of other tools for the same. */

export {
  type Lock,
  LOCK_FORMATS,
  type LockedRepo,
  type LockFormat,
  lockText,
  readLock,
  writeList,
} from "./lock.ts";
