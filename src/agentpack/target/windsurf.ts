/**
 * Windsurf: rules, workflows and MCP servers of Cascade (PACK-23). Its memories are its own; what people want it to
 * remember are rules, as its documentation says.
 *
 * `metadata.windsurf` of a module says when its rule applies: `trigger` (`always_on`, `glob`, `model_decision` or
 * `manual`), `globs` and `description`. `header` is the head of a rule word for word, and `file` is where the rule stands.
 *
 * @module
 */

import { join } from "@std/path";
import { concatBytes, encodeText } from "../bytes.ts";
import type { ModuleConfig } from "../config/config.ts";
import { toolSettings } from "../config/metadata.ts";
import { fsKey } from "../identity/fs_key.ts";
import { userHome } from "../io.ts";
import type { ComposedModule } from "../module/compose.ts";
import { aggregatedInto, INSTRUCTIONS_FILE, instructionsOf, singleFiles } from "./layout.ts";
import { mcpServers } from "./mcp.ts";
import type { RenderedFile, Rendering, Target } from "./target.ts";

/** The file with the rules for all projects. */
const GLOBAL_RULES = "global_rules.md";

/** The block at the head of a rule, with the empty line below it; a head that was given, word for word. */
function headOf(module: ModuleConfig): string {
  const { header, trigger, description, globs } = toolSettings(module, "windsurf");
  if (typeof header === "string") return header;
  const list: readonly unknown[] = Array.isArray(globs) ? globs : [globs];
  const patterns = list.filter((glob) => typeof glob === "string").join(",");
  const when = typeof trigger === "string" ? trigger : patterns === "" ? "always_on" : "glob";
  return [
    "---",
    `trigger: ${when}`,
    ...(typeof description === "string" ? [`description: ${JSON.stringify(description)}`] : []),
    ...(patterns === "" ? [] : [`globs: ${patterns}`]),
    "---",
    "",
    "",
  ].join("\n");
}

function rules(modules: readonly ComposedModule[]): Rendering {
  return {
    files: modules.map((module): RenderedFile => {
      const { id, type } = module.config;
      const header = encodeText(headOf(module.config));
      const { file } = toolSettings(module.config, "windsurf");
      return {
        path: typeof file === "string" ? file : `${fsKey(id)}.md`,
        bytes: concatBytes([header, instructionsOf(module)]),
        executable: false,
        origins: [{ moduleId: id, moduleType: type, modulePath: INSTRUCTIONS_FILE }],
        wayBack: { kind: "below_header", header },
      };
    }),
  };
}

/** The target. */
export const windsurf: Target = {
  name: "windsurf",
  always: [],
  options: [],
  rules: [
    {
      type: "instructions",
      scope: "user",
      option: "write_global_rules",
      on: true,
      output: `~/.codeium/windsurf/memories/${GLOBAL_RULES}`,
      rootName: "~/.codeium/windsurf/memories",
      root: (place) => join(userHome(place.env), ".codeium", "windsurf", "memories"),
      scanExtras: false,
      assets: { kind: "file", name: GLOBAL_RULES },
      render: aggregatedInto(GLOBAL_RULES),
    },
    {
      type: "instructions",
      scope: "project",
      option: "write_rules",
      on: true,
      output: "<project>/.windsurf/rules/<fs_key>.md",
      rootName: "<project>/.windsurf/rules",
      root: (place) => join(place.projectRoot, ".windsurf", "rules"),
      scanExtras: true,
      assets: { kind: "rules", suffix: ".md" },
      render: rules,
    },
    {
      type: "prompt",
      scope: "project",
      option: "write_workflows",
      on: true,
      output: "<project>/.windsurf/workflows/<file>",
      rootName: "<project>/.windsurf/workflows",
      root: (place) => join(place.projectRoot, ".windsurf", "workflows"),
      scanExtras: true,
      assets: { kind: "files", suffix: ".md" },
      render: singleFiles(""),
    },
    mcpServers("windsurf", "user", {
      option: "write_user_mcp",
      rootName: "~/.codeium/windsurf",
      root: (place) => join(userHome(place.env), ".codeium", "windsurf"),
    }),
  ],
};
