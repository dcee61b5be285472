/** `.gitmodules` of a repository with submodules, and the commits that it has of them. */

import { cleanLine } from "../../base/text/sanitize.ts";
import {
  droppedNote,
  type Imported,
  lastName,
  listed,
  type Source,
  type Superproject,
  textOf,
} from "./imported.ts";

const CARRIED = ["path", "url", "branch", "shallow"];

/**
 * The address of a submodule as git reads one that begins with `./` or `../`. It is relative to the address of
 * the repository around it, and not to the directory in which that lies. Null where it leads above its host.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { submoduleUrl } from "./gitmodules.ts";
 *
 * assertEquals(submoduleUrl("https://h.test/team/all.git", "../api.git"), "https://h.test/team/api.git");
 * assertEquals(submoduleUrl("git@h.test:team/all", "../../docs"), "git@h.test:docs");
 * ```
 */
export function submoduleUrl(around: string, url: string): string | null {
  let base = around.replace(/\/+$/, "");
  let rest = url;
  for (;;) {
    const [step] = /^\.{1,2}\/+/.exec(rest) ?? [];
    if (step === undefined) break;
    rest = rest.slice(step.length);
    if (!step.startsWith("..")) continue;
    const shorter = /^(.*[^/:])\/+[^/]+$/.exec(base)?.[1] ?? /^([^/]*[^/:]:)[^/]+$/.exec(base)?.[1];
    if (shorter === undefined || /^[a-z][a-z0-9+.-]*:$/i.test(shorter)) return null;
    base = shorter;
  }
  return `${base}${base.endsWith(":") ? "" : "/"}${rest}`.replace(/\/+$/, "");
}

/** The submodules by name, each with its own settings; later ones of a key win. */
function sections(settings: Superproject["settings"]): Map<string, Record<string, string>> {
  const found = new Map<string, Record<string, string>>();
  for (const [key, values] of settings) {
    const [, name = "", member = ""] = /^submodule\.(.*)\.([^.]+)$/s.exec(key) ?? [];
    const value = values.at(-1) ?? null;
    if (name === "" || value === null) continue;
    found.set(name, { ...found.get(name), [member]: value });
  }
  return found;
}

/** Reads the submodules at the commits that the repository around them has. */
export async function importGitmodules(
  { superproject, home, include }: Source,
): Promise<Imported> {
  const { settings, pins, branch: current } = superproject ??
    { settings: new Map(), pins: null, branch: null };
  const notes: string[] = [];
  const named = new Set<string>();
  const repos = await Promise.all(
    [...sections(settings)].map(async ([name, entry]) => {
      const path = textOf(entry["path"]);
      const what = cleanLine(path ?? name, 60);
      const written = textOf(entry["url"]);
      if (path === null || written === null) {
        notes.push(`${what}: it has no ${path === null ? "path" : "address"}`);
        return [];
      }
      named.add(path);
      const pin = pins?.get(path) ?? null;
      if (pins !== null && pin === null) {
        notes.push(`${what}: the repository has no commit of it, so it is no submodule any more`);
        return [];
      }
      const isRelative = /^\.{1,2}\//.test(written);
      const url = !isRelative ? written : home === null ? null : submoduleUrl(home, written);
      if (url === null) {
        notes.push(
          `${what}: ${cleanLine(written, 60)} is relative to the repository around it, ${
            home === null ? "which has no remote origin" : "and leads above its host"
          }`,
        );
        return [];
      }
      const { update, ...rest } = entry;
      const isOff = update === "none";
      notes.push(...droppedNote(path, isOff || update === undefined ? rest : entry, CARRIED));
      return [listed({
        what: path,
        name: lastName(path),
        path,
        url,
        version: pin,
        branch: entry["branch"] === "." ? current : textOf(entry["branch"]),
        enabled: !isOff,
        depth: entry["shallow"] === "true" ? 1 : null,
        // Of one that was never checked out nobody knows without asking whether it has some.
        submodules: await include(`${path}/.gitmodules`).then(() => true, () => false),
      })];
    }),
  );
  for (const path of pins?.keys() ?? []) {
    if (named.has(path)) continue;
    notes.push(`${cleanLine(path, 60)}: a repository inside of it that .gitmodules does not name`);
  }
  return { repos: repos.flat(), groups: {}, notes };
}
