/** @std/yaml with types; the npm build ships none. */

// @ts-types="./yaml.d.ts"
export { parse, stringify } from "deno-std/yaml/mod.js";
