/**
 * @std/async/pool with types; the npm build ships none.
 *
 * @module
 */

// @ts-types="./pool.d.ts"
export { pooledMap } from "deno-std/async/pool.js";
