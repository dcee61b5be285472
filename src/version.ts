/**
 * The version of this program.
 *
 * @module
 */

import config from "../deno.json" with { type: "json" };

/** Semantic version, as in `deno.json`. */
export const VERSION: string = config.version;
