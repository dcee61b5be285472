/** @std/cli/parse-args with types; the npm build ships none. */

// @ts-types="./parse_args.d.ts"
export { parseArgs, type ParsedArgs, type ParseOptions } from "deno-std/cli/parse_args.js";
