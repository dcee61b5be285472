/** Mirrors: one bare copy of each remote on this machine, from which the clones of tickets borrow (MIRROR-1). */

export { addBorrowers } from "./borrowers.ts";
export { type FreshMirror, freshMirror, lendLarge, mirrorKind, noMirror } from "./fresh.ts";
export { type Lent, lentClones, mendMirrors, type MirrorTrouble, mirrorTroubles } from "./lent.ts";
export { atMirror } from "./lock.ts";
export { isMirror } from "./make.ts";
export { mirrorDirectory, mirrorsDirectory } from "./place.ts";
export {
  isIdle,
  type MirrorFound,
  packMirror,
  removeLeft,
  removeMirror,
  surveyMirrors,
} from "./tidy.ts";
