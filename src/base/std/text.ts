/** The two functions used of @std/text with types; the npm build ships none. */

// @ts-types="./closest_string.d.ts"
export { closestString } from "deno-std/text/closest_string.js";
// @ts-types="./levenshtein_distance.d.ts"
export { levenshteinDistance } from "deno-std/text/levenshtein_distance.js";
