// Breaks the commands of every day at every change: changes of the manifest, locks, adopted clones, commits.

import { breakEach } from "./every_change.ts";

breakEach([
  ["repo add", "inline", 3],
  ["repo remove", "inline", 3],
  ["repo rename", "inline", 3, "after"],
  ["lock", "inline", 3],
  ["install --adopt", "worker", 3, "before"],
  ["install --locked", "worker", 3],
  ["install --locked, clones that are behind", "worker", 3, "after"],
  ["commit", "worker", 3, "full"],
  ["ecosystem create --from", "inline", 3],
]);
