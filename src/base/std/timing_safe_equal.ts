/** @std/crypto/timing-safe-equal with types; the npm build ships none. */

// @ts-types="./timing_safe_equal.d.ts"
export { timingSafeEqual } from "deno-std/crypto/timing_safe_equal.js";
