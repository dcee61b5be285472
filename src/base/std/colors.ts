/** @std/fmt/colors with types; the npm build ships none. */

// @ts-types="./colors.d.ts"
export {
  bold,
  cyan,
  dim,
  green,
  red,
  setColorEnabled,
  stripAnsiCode,
  yellow,
} from "deno-std/fmt/colors.js";
