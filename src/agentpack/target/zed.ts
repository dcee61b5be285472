/**
 * Zed: the project's rules (PACK-23).
 *
 * @module
 */

import { aggregatedInto } from "./layout.ts";
import type { Target } from "./target.ts";

/** The target. */
export const zed: Target = {
  name: "zed",
  always: [],
  options: [],
  rules: [{
    type: "instructions",
    scope: "project",
    option: "write_rules",
    on: true,
    output: "<project>/.rules",
    rootName: "<project>",
    root: (place) => place.projectRoot,
    scanExtras: false,
    assets: { kind: "file", name: ".rules" },
    render: aggregatedInto(".rules"),
  }],
};
