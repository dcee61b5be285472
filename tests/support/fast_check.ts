/**
 * fast-check with a seed of its own: a run of the tests finds the same on every machine, and a new case is searched
 * for on purpose, with `AMOF_TEST_SEED=random` (or the number that a failure names).
 *
 * @module
 */

import fc from "fast-check-library";

const asked = Deno.env.get("AMOF_TEST_SEED") ?? "20261123";
if (asked !== "random") fc.configureGlobal({ seed: Number(asked) });

export * from "fast-check-library";
export default fc;
