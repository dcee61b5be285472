/**
 * @std/assert with types; the npm build ships none.
 *
 * @module
 */

// @ts-types="./assert.d.ts"
export {
  assert,
  assertEquals,
  assertMatch,
  assertNotEquals,
  assertNotMatch,
  assertObjectMatch,
  assertRejects,
  assertStringIncludes,
  assertThrows,
  fail,
} from "deno-std/assert/mod.js";
