/** What clones are put at the commits of a lock with; for whoever only looks there is mod.ts. */

export { type Pin, type Pinned, pinOutcome, pinSteps } from "./pin.ts";
