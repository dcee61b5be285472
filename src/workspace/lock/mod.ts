/** Lock files: which commit every repository is at, and formats of other tools for the same. */

export {
  type Lock,
  LOCK_FORMATS,
  lockAnew,
  type LockedRepo,
  type LockFormat,
  lockText,
  readLock,
  writeList,
} from "./lock.ts";
export { decideWay, type Standing, type Way, waysFrom, wayTo } from "./way.ts";
