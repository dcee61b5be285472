/** @std/semver with types; the npm build ships none. */

// @ts-types="./semver.d.ts"
export { compare, format, type SemVer, tryParse } from "deno-std/semver/mod.js";
