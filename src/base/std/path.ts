/** @std/path with types; the npm build ships none. */

// @ts-types="./path.d.ts"
export {
  basename,
  dirname,
  fromFileUrl,
  globToRegExp,
  isAbsolute,
  join,
  normalize,
  relative,
  resolve,
  SEPARATOR,
  toFileUrl,
} from "deno-std/path/mod.js";
