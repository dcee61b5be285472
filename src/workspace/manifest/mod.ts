/** The manifest of an ecosystem: its shape, its checks, edits of its text, and the paths it guards. */

export { isInside, normalPath, placesIn, readDocument } from "./document.ts";
export {
  allowing,
  allowNoTouch,
  type Guard,
  type GuardInput,
  keptTouches,
  makeGuard,
  type Touch,
  touchedBy,
  touches,
  touchText,
} from "./guard.ts";
export {
  checkManifest,
  ecosystemNames,
  firstCommit,
  groupsText,
  loadManifest,
  lockFile,
  type Manifest,
  manifestFile,
  manifestInvalid,
  NO_COMMIT,
  type Repo,
} from "./manifest.ts";
export { isGitName, placeKey, placeProblem } from "./checks.ts";
export {
  fileProblem,
  type Mistake,
  mistake,
  type Problem,
  problemText,
  shapeMistakes,
  toProblems,
  unknownKeys,
} from "./shape.ts";
export { manifestJsonSchema } from "./schema.ts";
export { type Order, ORDERS, type Task } from "./tasks.ts";
