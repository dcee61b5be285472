/** @std/toml/parse with types; the npm build ships none. */

// @ts-types="./toml.d.ts"
export { parse } from "deno-std/toml/parse.js";
