// Breaks updates of a ticket at every change.

import { breakEach } from "./every_change.ts";

breakEach([
  ["ticket update", "worker", 3],
  ["ticket update, behind a squash", "worker", 3],
  ["ticket update --rebase", "worker", 3, "full"],
  ["ticket update --continue, a merge", "worker", 3],
  ["ticket update --continue, a rebase", "worker", 3],
  ["ticket update --abort, a merge", "worker", 3, "before"],
  ["ticket update --abort, a rebase", "worker", 3],
]);
