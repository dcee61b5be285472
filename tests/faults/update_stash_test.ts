// Breaks updates of a ticket at every change that carry uncommitted work along.

import { breakEach } from "./every_change.ts";

breakEach([
  ["ticket update --stash", "worker", 3, "after"],
  ["ticket update --stash, then --continue", "worker", 3],
  ["ticket update --stash, then --abort", "worker", 3],
]);
