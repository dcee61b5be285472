/**
 * JetBrains: the guidelines of Junie (PACK-23).
 *
 * @module
 */

import { join } from "@std/path";
import { instructionsFile } from "./layout.ts";
import type { Target } from "./target.ts";

/** The target. */
export const jetbrains: Target = {
  name: "jetbrains",
  always: [],
  options: [],
  rules: [instructionsFile("guidelines.md", {
    scope: "project",
    option: "write_guidelines",
    on: true,
    rootName: "<project>/.junie",
    root: (place) => join(place.projectRoot, ".junie"),
    scanExtras: true,
  })],
};
