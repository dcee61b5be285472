/** The version of this program. */

import config from "../../deno.json" with { type: "json" };

/** What stands for the commit until the bundle of a binary is given it, see `tests/support/stamp.ts`. */
export const UNKNOWN_COMMIT = "the-commit-of-this-bundle";

/** The commit a binary was built of, with `-changed` where more was in it; null for what runs from source. */
export const COMMIT: string | null = /^[0-9a-f]{40}/.test(UNKNOWN_COMMIT) ? UNKNOWN_COMMIT : null;

/** Semantic version, as in `deno.json`. */
export const VERSION: string = config.version;

/** Owner and name of the repository that releases are made of, on GitHub. */
export const REPOSITORY = "amof-dev/amof";
