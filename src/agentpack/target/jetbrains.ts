/**
 * JetBrains: the guidelines of Junie (PACK-23).
 *
 * @module
 */

import { join } from "@std/path";
import { aggregatedInto } from "./layout.ts";
import type { Target } from "./target.ts";

/** The target. */
export const jetbrains: Target = {
  name: "jetbrains",
  always: [],
  options: [],
  rules: [{
    type: "instructions",
    scope: "project",
    option: "write_guidelines",
    on: true,
    output: "<project>/.junie/guidelines.md",
    rootName: "<project>/.junie",
    root: (place) => join(place.projectRoot, ".junie"),
    scanExtras: true,
    assets: { kind: "file", name: "guidelines.md" },
    render: aggregatedInto("guidelines.md"),
  }],
};
