/** The flag of commands that show a person only what needs attention where there is much. */

import { onlyTyped, type ZodNamespace } from "./input.ts";

/** `--all`, to spread into the input of a command whose table folds. Other readers are always told everything. */
// deno-lint-ignore explicit-module-boundary-types -- only the construction itself can spell the type
export function foldingInput(z: ZodNamespace) {
  return {
    all: onlyTyped(z.boolean().optional().describe("Show every row, also what is well")),
  };
}
