/**
 * Zed: the project's rules (PACK-23).
 *
 * @module
 */

import { instructionsFile } from "./layout.ts";
import type { Target } from "./target.ts";

/** The target. */
export const zed: Target = {
  name: "zed",
  always: [],
  options: [],
  rules: [instructionsFile(".rules", {
    scope: "project",
    option: "write_rules",
    on: true,
    rootName: "<project>",
    root: (place) => place.projectRoot,
  })],
};
