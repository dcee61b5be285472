/**
 * Cursor: one rule file per instructions module, with a generated header (PACK-23, PACK-25).
 *
 * `metadata.cursor` of a module may set `description`, `globs` and `alwaysApply`; globs never stand next to
 * `alwaysApply: true`.
 *
 * @module
 */

import { join } from "@std/path";
import { concatBytes, encodeText } from "../bytes.ts";
import type { ModuleConfig } from "../config/config.ts";
import { fsKey } from "../identity/fs_key.ts";
import type { ComposedModule } from "../module/compose.ts";
import { withFinalNewline } from "../module/markers.ts";
import { INSTRUCTIONS_FILE, instructionsOf } from "./layout.ts";
import type { RenderedFile, Rendering, Target } from "./target.ts";

interface Header {
  readonly text: string;
  readonly warning: string | null;
}

function globsOf(value: unknown): string[] {
  const list = typeof value === "string" ? value.split(",") : Array.isArray(value) ? value : [];
  return list.filter((glob): glob is string => typeof glob === "string")
    .map((glob) => glob.trim()).filter((glob) => glob !== "");
}

/** The generated block at the head of a rule file, with the empty line below it. */
function headerOf(module: ModuleConfig): Header {
  const raw = module.metadata["cursor"];
  const settings = raw !== null && typeof raw === "object"
    ? new Map<string, unknown>(Object.entries(raw))
    : new Map<string, unknown>();
  const described = settings.get("description");
  const description = typeof described === "string" ? described : `agentpack: ${module.id}`;
  const globs = globsOf(settings.get("globs"));
  const always = settings.get("alwaysApply");
  const alwaysApply = typeof always === "boolean" ? always : globs.length === 0;
  const dropped = alwaysApply && globs.length > 0;
  const lines = [
    "---",
    `description: ${JSON.stringify(description)}`,
    `globs: ${JSON.stringify(alwaysApply ? [] : globs)}`,
    `alwaysApply: ${alwaysApply}`,
    "---",
    "",
    "",
  ];
  return {
    text: lines.join("\n"),
    warning: dropped
      ? `The module "${module.id}" always applies in Cursor, so its globs are left out`
      : null,
  };
}

function rules(modules: readonly ComposedModule[]): Rendering {
  const warnings: string[] = [];
  const files = modules.map((module): RenderedFile => {
    const { text, warning } = headerOf(module.config);
    if (warning !== null) warnings.push(warning);
    const header = encodeText(text);
    return {
      path: `${fsKey(module.config.id)}.mdc`,
      bytes: concatBytes([header, withFinalNewline(instructionsOf(module))]),
      executable: false,
      origins: [{
        moduleId: module.config.id,
        moduleType: module.config.type,
        modulePath: INSTRUCTIONS_FILE,
      }],
      wayBack: { kind: "below_header", header },
    };
  });
  return { files, warnings };
}

/** The target. */
export const cursor: Target = {
  name: "cursor",
  always: [],
  options: [],
  rules: [{
    type: "instructions",
    scope: "project",
    option: "write_rules",
    on: true,
    output: "<project>/.cursor/rules/<fs_key>.mdc",
    rootName: "<project>/.cursor/rules",
    root: (place) => join(place.projectRoot, ".cursor", "rules"),
    scanExtras: true,
    render: rules,
  }],
};
