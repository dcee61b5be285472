/** Snapshots of uncommitted work, as a part of a repository. */

export { type Hindrance, snapshotId, Snapshots } from "./snapshots.ts";
export { subjectOf as stashSubject } from "./stream.ts";
