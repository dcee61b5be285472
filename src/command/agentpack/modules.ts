/**
 * `add` and `remove` (PACK-54).
 *
 * @module
 */

import { add as addOf, MODULE_TYPES, remove as removeOf } from "../../agentpack/mod.ts";
import { declare } from "./command.ts";
import { argument, choiceArgument, list, text } from "./option.ts";
import { shownPath } from "./show.ts";

/** `add`. */
export const add = declare({
  path: ["add"],
  summary: "Add a module to agentpack.yaml, which keeps its comments.",
  options: {
    type: choiceArgument(MODULE_TYPES, { help: "What the module is" }),
    source: argument({
      help: "local:<path> or git:<url>[#ref=…&subdir=…&shallow=true|false]",
    }),
    id: text({ help: "Its id; type and last part of the source otherwise", value: "ID" }),
    tags: list([], { help: "Tags that profiles select by", value: "TAGS" }),
    targets: list([], { help: "Only for these targets", value: "NAMES" }),
  },
  examples: [
    "add skill local:modules/skills/tidy --tags base",
    "add prompt git:https://git.example.org/team/assets.git#ref=v2&subdir=prompts/pr.md",
  ],
  changes: () => ({ id: "add", asks: "first" }),
  run: ({ pack, selection }, input) => addOf(pack, selection, input),
  render: ({ data }) => `Added ${data.module_id} to ${shownPath(data.manifest)}`,
});

/** `remove`. */
export const remove = declare({
  path: ["remove"],
  summary: "Drop a module from agentpack.yaml; the files of its source stay.",
  options: { id: argument({ help: "The module" }) },
  examples: ["remove skill:tidy"],
  changes: () => ({ id: "remove", asks: "first" }),
  run: ({ pack, selection }, input) => removeOf(pack, selection, input),
  render: ({ data }) => `Removed ${data.module_id} from ${shownPath(data.manifest)}`,
});
