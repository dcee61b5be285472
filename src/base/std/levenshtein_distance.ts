/** @std/text/levenshtein-distance with types; the npm build ships none. */

// @ts-types="./levenshtein_distance.d.ts"
export { levenshteinDistance } from "deno-std/text/levenshtein_distance.js";
