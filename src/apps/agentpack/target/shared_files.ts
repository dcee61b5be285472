/** The files of coding tools that hold entries of ours beside what others wrote, one by one (PACK-62). */

import { originOf } from "./layout.ts";
import type { ModuleType, TargetName } from "../names.ts";
import { SERVER_FILES, type SharedFile } from "../../../state/entries/types.ts";
import type { Fields } from "../../../base/object.ts";
import { secretsIn } from "../../../state/entries/shown.ts";
import { maskSecrets } from "../../../base/text/mask.ts";
import type { ComposedModule } from "../module/compose.ts";
import type { Assets, OutputRule, RenderedEntry, Rendering } from "./target.ts";

/** Which files of a tool are shared, by what is in them. */
export const SHARED_FILES = {
  claude_code: {
    servers: SERVER_FILES["claude-code"],
    // code.claude.com/docs/en/hooks: the settings of a project and of a user hold hooks alike.
    hooks: { file: "settings.json", syntax: "json", table: null, lists: true },
  },
  cursor: {
    servers: SERVER_FILES.cursor,
    // cursor.com/docs/agent/hooks: the file says which version of its form it has.
    hooks: { file: "hooks.json", syntax: "json", table: null, lists: true, seed: { version: 1 } },
  },
  vscode: { servers: SERVER_FILES.vscode },
  codex: {
    servers: SERVER_FILES.codex,
    hooks: { file: "hooks.json", syntax: "json", table: null, lists: true },
  },
  // geminicli.com/docs/hooks/reference: hooks stand in the settings, too.
  gemini: { servers: { ...SERVER_FILES.gemini, lists: true } },
  windsurf: { servers: SERVER_FILES.windsurf },
} as const satisfies Partial<Record<TargetName, Readonly<Record<string, SharedFile>>>>;

/** The shared files of a tool; none where it has none. */
export function sharedFilesOf(target: TargetName): readonly SharedFile[] {
  return target in SHARED_FILES
    ? Object.values(SHARED_FILES[target as keyof typeof SHARED_FILES])
    : [];
}

/** The shared file of a tool with a name, or null. */
export function sharedFileAt(target: TargetName, file: string): SharedFile | null {
  return sharedFilesOf(target).find((shared) => shared.file === file) ?? null;
}

// What servers and hooks have in common: they are entries of files that are shared with users (PACK-62).

/** Where a rule for entries writes, and the option that switches it on. */
export type EntriesPlace = Pick<
  OutputRule,
  "scope" | "option" | "rootName" | "root" | "rootOption"
>;

/** A rule for entries of modules of one type; off by default, because they run programs (PACK-65). */
export function entriesRule(
  type: ModuleType,
  assets: Extract<Assets, { kind: "entries" }>,
  place: EntriesPlace,
  render: (module: ComposedModule) => Rendering,
): OutputRule {
  return {
    ...place,
    type,
    on: false,
    output: `${place.rootName}/${assets.shared.file}`,
    scanExtras: false,
    assets,
    render: (modules) => {
      const all = modules.map(render);
      return {
        files: all.flatMap(({ files }) => files),
        entries: all.flatMap(({ entries }) => entries ?? []),
        warnings: all.flatMap(({ warnings }) => warnings ?? []),
      };
    },
  };
}

/** An entry that a module gives; `path` is its file in the module. */
export function entryOf(
  module: ComposedModule,
  path: string,
  entry: Pick<RenderedEntry, "shared" | "name" | "value" | "runs">,
): RenderedEntry {
  const { source } = module.upstream;
  return {
    ...entry,
    origin: originOf(module, path),
    remote: source.kind === "git" ? maskSecrets(source.url) : null,
  };
}

/** A warning where an entry has secrets in the open (PACK-64). */
export function secretWarnings(id: string, value: Fields, file: string): readonly string[] {
  const found = secretsIn(value).map(({ member }) => member);
  return found.length === 0 ? [] : [
    `"${id}" has what looks like a secret in ${
      found.join(", ")
    }, which would be in ${file} as it is; name a variable instead`,
  ];
}
