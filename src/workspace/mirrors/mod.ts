/** Mirrors: one bare copy of each remote on this machine, from which the clones of tickets borrow (MIRROR-1). */

export { addBorrowers } from "./borrowers.ts";
export { type FreshMirror, freshMirror, lendLarge, mirrorKind, noMirror } from "./fresh.ts";
export {
  type BorrowingClone,
  clonesOnMirrors,
  findMirrors,
  isIdle,
  mendMirrors,
  type MirrorFound,
  type MirrorTrouble,
  mirrorTroubles,
  packMirror,
  removeLeft,
  removeMirror,
} from "./maintenance.ts";
export { atMirror, mirrorDirectory, mirrorsDirectory } from "./place.ts";
export { isMirror } from "./make.ts";
