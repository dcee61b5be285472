/**
 * @std/yaml with types; the npm build ships none.
 *
 * @module
 */

// @ts-types="./yaml.d.ts"
export { parse, stringify } from "deno-std/yaml/mod.js";
