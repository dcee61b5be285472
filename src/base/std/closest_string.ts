/** @std/text/closest-string with types; the npm build ships none. */

// @ts-types="./closest_string.d.ts"
export { closestString } from "deno-std/text/closest_string.js";
