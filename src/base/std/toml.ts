/**
 * @std/toml/parse with types; the npm build ships none.
 *
 * @module
 */

// @ts-types="./toml.d.ts"
export { parse } from "deno-std/toml/parse.js";
