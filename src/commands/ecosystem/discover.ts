/** Finds the ecosystems of a control repository, and the one a call means (WORKSPACE-3). */

import { refuseLinked } from "../../workspace/mod.ts";
import { isTicketId } from "../../base/ids.ts";
import { dirname, join } from "@std/path";
import { sha256 } from "../../base/hash.ts";
import { isBelow } from "../../base/paths.ts";
import { AmofError } from "../../base/error.ts";
import { Git } from "../../git/mod.ts";
import type { System } from "../../base/system/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { didYouMean, list, meantText } from "../../base/text/words.ts";
import { adoptingWorkspace } from "../../workspace/clones/mod.ts";
import {
  checkManifest,
  ecosystemNames,
  loadManifest,
  type Manifest,
} from "../../workspace/manifest/mod.ts";

/** So many ecosystems are offered with a command each. */
const MOST_OFFERED = 3;

/** Throws `ecosystem_not_found`, with the nearest name and all others, unless the ecosystem exists. */
export async function requireEcosystem(system: System, root: string, name: string): Promise<void> {
  const names = await ecosystemNames(system, root);
  if (names.includes(name)) return;
  await refuseLinked(system, root, name);
  const shown = cleanLine(name, 60);
  const near = didYouMean(name, names);
  throw new AmofError(
    "ecosystem_not_found",
    `Cannot find ecosystem "${shown}"${meantText(near)}`,
    {
      hint: names.length === 0
        ? "Create one: amof ecosystem create NAME"
        : `Available: ${list(names.slice(0, 20))}`,
      details: {
        ecosystem: shown,
        available: names,
        ...(near === null ? {} : { did_you_mean: near }),
      },
    },
  );
}

/** The manifest of an ecosystem, or null when it cannot be used: one broken ecosystem must not hide the others. */
async function manifestOrNull(
  system: System,
  root: string,
  name: string,
): Promise<Manifest | null> {
  try {
    return (await checkManifest(system, root, name)).manifest;
  } catch (error) {
    if (error instanceof AmofError) return null;
    throw error;
  }
}

/** The ecosystem whose workspace holds a directory, or null. */
async function byPlace(
  system: System,
  root: string,
  names: readonly string[],
  cwd: string,
): Promise<string | null> {
  if (cwd === root || !isBelow(root, cwd)) return null;
  // The usual place is recognised without reading any manifest.
  const usual = names.find((name) =>
    isBelow(join(root, "worktrees", name), cwd) || isBelow(join(root, "ecosystems", name), cwd) ||
    ticketIn(join(root, "worktrees", name), cwd) !== null
  );
  if (usual !== undefined) return usual;
  for (const name of names) {
    const manifest = await manifestOrNull(system, root, name);
    if (manifest === null) continue;
    const base = join(root, manifest.workspaceDir);
    if (isBelow(base, cwd) || ticketIn(base, cwd) !== null) return name;
  }
  return null;
}

/** The ticket whose directory, beside a base workspace, holds a place; null where none does. */
function ticketIn(base: string, place: string): string | null {
  const begins = `${base}@`;
  if (!place.startsWith(begins)) return null;
  const id = place.slice(begins.length).split(/[\\/]/)[0] ?? "";
  return isTicketId(id) ? id : null;
}

/** The ticket of an ecosystem whose workspace holds the working directory; null where none does. No process. */
export async function ticketAtDirectory(
  system: System,
  root: string,
  ecosystem: string,
): Promise<string | null> {
  const { env, files } = system;
  // The manifest is read only where there may be one.
  if (!env.cwd.includes("@")) return null;
  const { workspaceDir } = await loadManifest(system, root, ecosystem);
  return ticketIn(join(root, workspaceDir), await files.realPath(env.cwd) ?? env.cwd);
}

/** The ecosystem whose workspace branch is checked out where the caller stands, or null. */
async function byBranch(
  system: System,
  root: string,
  names: readonly string[],
  cwd: string,
): Promise<string | null> {
  for (let at = cwd;; at = dirname(at)) {
    const repository = new Git(system).at(at);
    if (await repository.gitDirectory() !== null) {
      const branch = await repository.branches.current() ?? "";
      for (const name of names.filter((candidate) => branch.endsWith(`/${candidate}`))) {
        if ((await manifestOrNull(system, root, name))?.workspaceBranch === branch) return name;
      }
      return null;
    }
    if (dirname(at) === at) return null;
  }
}

async function byAgentFile(
  system: System,
  names: readonly string[],
  cwd: string,
): Promise<string | null> {
  const text = await system.files.readText(join(cwd, ".amof", "agent.yaml"));
  const name = /^default_ecosystem:\s*["']?([A-Za-z0-9._-]+)/m.exec(text ?? "")?.[1];
  return name !== undefined && names.includes(name) ? name : null;
}

/**
 * The ecosystem a command line means without `-e`: the first of these that applies. Throws `scope_required`
 * where none does.
 *
 * 1. The only one there is.
 * 2. The one whose workspace or directory holds the working directory, or has adopted the clone around it.
 * 3. The one whose workspace branch is checked out.
 * 4. The one chosen with `ecosystem switch`.
 * 5. The default of `.amof/agent.yaml`.
 */
export async function currentEcosystem(
  system: System,
  root: string,
  chosen: () => Promise<string | null>,
): Promise<string> {
  const names = await ecosystemNames(system, root);
  const [only] = names;
  if (only !== undefined && names.length === 1) return only;
  if (only === undefined) await refuseLinked(system, root, null);
  const real = await system.files.realPath(system.env.cwd) ?? system.env.cwd;
  const cwd = isBelow(root, real) ? real : await adoptingWorkspace(system, root, real) ?? real;
  const standing = await byPlace(system, root, names, cwd) ??
    await byBranch(system, root, names, cwd);
  const choice = standing === null && names.length > 1 ? await chosen() : null;
  const found = standing ??
    names.find((name) => name === choice) ??
    await byAgentFile(system, names, cwd);
  if (found !== null) return found;
  throw undecided(
    names,
    names.slice(0, MOST_OFFERED).map((name) => `Go to ${name}: amof ecosystem switch ${name}`),
  );
}

/** The error where nothing tells which of the ecosystems is meant; `ways` are hints that come first. */
function undecided(names: readonly string[], ways: readonly string[] = []): AmofError {
  const none = names.length === 0;
  return new AmofError(
    "scope_required",
    `Cannot tell which ecosystem is meant: there ${none ? "is none yet" : `are ${names.length}`}`,
    {
      hint: none
        ? "Create one: amof ecosystem create NAME"
        : [...ways, `Name one with --ecosystem NAME. Available: ${list(names.slice(0, 20))}`],
      details: { available: names },
    },
  );
}

/** The ecosystem of a control repository that has one; throws `scope_required` with those there are, and `ways` to one. */
export async function onlyEcosystem(
  system: System,
  root: string,
  ways: readonly string[] = [],
): Promise<string> {
  const names = await ecosystemNames(system, root);
  if (names.length === 0) await refuseLinked(system, root, null);
  if (names.length !== 1) throw undecided(names, ways);
  return names[0] ?? "";
}

/** The name under which the choice for a control repository is remembered. */
export function choiceSetting(root: string): string {
  return `ecosystem:${sha256(root).slice(0, 16)}`;
}

/** The name under which the choice before that one is remembered. */
export function formerChoiceSetting(root: string): string {
  return `former_${choiceSetting(root)}`;
}
