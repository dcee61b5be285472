/** What servers and hooks have in common: they are entries of files that are shared with users (PACK-62). */

import { defined, type Fields } from "../../../base/object.ts";
import { secretsIn } from "../../../state/entries/shown.ts";
import { maskSecrets } from "../../../base/text/mask.ts";
import type { ComposedModule } from "../module/compose.ts";
import type { Assets, OutputRule, RenderedEntry, Rendering, TargetPlace } from "./target.ts";

/** Where a rule for entries writes, and the option that switches it on. */
export interface EntriesPlace {
  readonly option: string;
  readonly rootName: string;
  readonly root: (place: TargetPlace) => string;
  readonly rootOption?: string;
}

/** A rule for entries of modules of one type; off by default, because they run programs (PACK-65). */
export function entriesRule(
  { type, scope }: Pick<OutputRule, "type" | "scope">,
  assets: Extract<Assets, { kind: "entries" }>,
  { option, rootName, root, rootOption }: EntriesPlace,
  render: (module: ComposedModule) => Rendering,
): OutputRule {
  return {
    type,
    scope,
    option,
    on: false,
    output: `${rootName}/${assets.shared.file}`,
    rootName,
    root,
    ...defined({ rootOption }),
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
  { config: { id, type }, upstream: { source } }: ComposedModule,
  path: string,
  entry: Pick<RenderedEntry, "shared" | "name" | "value" | "runs">,
): RenderedEntry {
  return {
    ...entry,
    origin: { moduleId: id, moduleType: type, modulePath: path },
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
