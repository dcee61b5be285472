/**
 * Everything in a world that somebody could miss: refs, heads, stashes, index, files, settings of every repository, and
 * the state of every workspace.
 *
 * @module
 */

import { join } from "@std/path";
import type { World } from "../support/world.ts";

/** What there is, by place. */
export type Inventory = ReadonlyMap<string, string>;

/** Looks at one working copy, in one process of a shell. */
const LOOK = String.raw`
# What is put away once more has another commit, which says when, and the same files.
git for-each-ref --format='ref %(refname) %(if:equals=refs/stash)%(refname)%(then)%(tree)%(else)%(objectname)%(end)' |
  # What is kept for undo is called by the run, and is nobody's work.
  grep -v '^ref refs/amof/keep/'
echo "head $(git rev-parse --symbolic-full-name HEAD) $(git rev-parse HEAD)"
git stash list --format='stash %gs %T'
git ls-files --stage | sed 's/^/index /'
git config --local --list | grep -v '^maintenance\.' | sort | sed 's/^/config /'
for place in MERGE_HEAD CHERRY_PICK_HEAD REVERT_HEAD rebase-merge rebase-apply; do
  [ ! -e "$(git rev-parse --git-path $place)" ] || echo "unfinished $place"
done
find . -name .git -prune -o -path ./worktrees -prune -o -path ./repos -prune -o -path ./.amof -prune \
  -o \( -type f -o -type l \) -print | sort | while read -r file; do
  echo "file $file $(git hash-object --no-filters -- "$file")"
done
find "$(git rev-parse --absolute-git-dir)" -name '*.lock' ! -path '*/amof/*' | sed 's/^/lock /'
`;

/** The files that were deployed into the home; the state of programs is none of them. */
const HOME = String.raw`
find . -path ./.agentpack -prune -o -path ./.cache -prune -o -type f -print | sort | while read -r file; do
  echo "file $file $(git hash-object --no-filters -- "$file")"
done
`;

const BARE = "git for-each-ref --format='ref %(refname) %(objectname)'";

async function look(world: World, directory: string, script: string): Promise<string> {
  if (!await world.exists(directory)) return "absent";
  const ran = await world.command("sh", ["-c", script], { cwd: directory });
  return `${ran.stdout}${ran.stderr}`;
}

async function names(directory: string): Promise<string[]> {
  try {
    return (await Array.fromAsync(Deno.readDir(directory))).map((entry) => entry.name).sort();
  } catch {
    return [];
  }
}

/** The state without what is different every time. */
async function state(world: World, ecosystem: string): Promise<string> {
  const text = await Deno.readTextFile(world.stateFile(ecosystem)).catch(() => "absent");
  return text.replace(/"\d{4}-\d\d-\d\dT[^"]*"/g, '"time"');
}

/** What lies in the workspace of a ticket besides its clones: names, the record, and what it tells programs. */
async function ticket(directory: string): Promise<string> {
  const own = join(directory, ".amof");
  const lines = [...await names(directory), ...await names(own)];
  for (const name of ["ticket.json", "ended.json", "env"]) {
    const text = await Deno.readTextFile(join(own, name)).catch(() => "absent");
    lines.push(`${name}: ${text.replace(/"\d{4}-\d\d-\d\dT[^"]*"/g, '"time"')}`);
  }
  return lines.join("\n");
}

/** Takes stock of the control repository, the workspaces, the clones and the remotes. */
export async function inventory(
  world: World,
  ecosystems: readonly string[] = ["demo"],
): Promise<Inventory> {
  const places = new Map<string, Promise<string>>();
  const add = (name: string, what: Promise<string>) => void places.set(name, what);
  add("control", look(world, world.control, LOOK));
  // Where agentpack works, if anything is there.
  for (const [name, directory] of Object.entries(packPlaces(world))) {
    add(name, look(world, directory, LOOK));
  }
  for (const name of await names(ownersPlace(world))) {
    add(`code/${name}`, look(world, join(ownersPlace(world), name), LOOK));
  }
  add("home", look(world, join(world.directory, "home"), HOME));
  add("worktrees", names(join(world.control, "worktrees")).then((all) => all.join(" ")));
  for (const name of await names(join(world.control, "worktrees"))) {
    if (!name.includes("@")) continue;
    const directory = world.workspace(name);
    add(`${name}/ticket`, ticket(directory));
    for (const repo of await names(join(directory, "repos"))) {
      add(`${name}/${repo}`, look(world, join(directory, "repos", repo), LOOK));
    }
  }
  for (const ecosystem of ecosystems) {
    add(`${ecosystem}/workspace`, look(world, world.workspace(ecosystem), LOOK));
    add(`${ecosystem}/state`, state(world, ecosystem));
    const repos = join(world.workspace(ecosystem), "repos");
    add(`${ecosystem}/repos`, names(repos).then((all) => all.join(" ")));
    for (const repo of await names(repos)) {
      add(`${ecosystem}/${repo}`, look(world, join(repos, repo), LOOK));
    }
  }
  for (const remote of await names(world.remotes)) {
    add(`remote ${remote}`, look(world, join(world.remotes, remote), BARE));
  }
  const found = new Map<string, string>();
  for (const [name, text] of places) found.set(name, await text);
  return found;
}

/** An inventory without the lines that match. */
export function without(inventory: Inventory, lines: RegExp | undefined): Inventory {
  if (lines === undefined) return inventory;
  return new Map(
    [...inventory].map((
      [name, text],
    ) => [name, text.split("\n").filter((line) => !lines.test(line)).join("\n")]),
  );
}

/** The places where two inventories differ, with the lines that do. */
export function differences(one: Inventory, other: Inventory): string[] {
  const found: string[] = [];
  for (const name of new Set([...one.keys(), ...other.keys()])) {
    const [a = "absent", b = "absent"] = [one.get(name), other.get(name)];
    if (a === b) continue;
    const [was, is] = [a.split("\n"), b.split("\n")];
    found.push(
      ...was.filter((line) => !is.includes(line)).map((line) => `${name}: - ${line}`),
      ...is.filter((line) => !was.includes(line)).map((line) => `${name}: + ${line}`),
    );
  }
  return found;
}

/** The places that are neither as in the one nor as in the other inventory. */
export function neither(now: Inventory, before: Inventory, after: Inventory): string[] {
  return [...new Set([...now.keys(), ...before.keys(), ...after.keys()])].filter((name) => {
    const text = now.get(name) ?? "absent";
    return text !== (before.get(name) ?? "absent") && text !== (after.get(name) ?? "absent");
  });
}

/** Lists every object of a repository that some ref or stash still holds. */
const HELD = String.raw`
git rev-list --objects --all "$@" $(git stash list --format=%H) | cut -d ' ' -f 1
`;

/** What this program writes for itself and anew. */
const OWN = /amof\.[^/]*\.code-workspace$/;

/**
 * Everything that was there and cannot be had any more: no file holds it, and no ref or stash of any repository. What a
 * command rewrites may also be held by a reflog alone.
 */
export async function lost(
  world: World,
  { before, now, rewrites }: {
    readonly before: Inventory;
    readonly now: Inventory;
    readonly rewrites: boolean;
  },
): Promise<string[]> {
  const held = new Set<string>();
  for (const text of now.values()) {
    for (const [id] of text.matchAll(/\b[0-9a-f]{40}\b/g)) held.add(id);
  }
  const repositories = [...now.keys()].map((name) => directoryOf(world, name))
    .filter((directory) => directory !== null);
  for (const directory of repositories) {
    if (!await world.exists(directory)) continue;
    const ran = await world.command("sh", ["-c", HELD, "sh", ...rewrites ? ["--reflog"] : []], {
      cwd: directory,
    });
    for (const id of ran.stdout.split("\n")) held.add(id);
  }
  return [...before].flatMap(([name, text]) =>
    text.split("\n").filter((line) => {
      const id = /^(?:ref|stash|file) .* ([0-9a-f]{40})$/.exec(line)?.[1];
      return id !== undefined && !held.has(id) && !OWN.test(line.replace(/ [0-9a-f]{40}$/, ""));
    }).map((line) => `lost: ${name}: ${line}`)
  );
}

/** The repositories of a world of agentpack. */
function packPlaces(world: World): Readonly<Record<string, string>> {
  return {
    "project": join(world.directory, "project"),
    "config repo": join(world.directory, "home", ".agentpack", "repo"),
  };
}

/** Where people have clones that no workspace holds. */
function ownersPlace(world: World): string {
  return join(world.directory, "code");
}

function directoryOf(world: World, name: string): string | null {
  if (name === "home") return null;
  const place = packPlaces(world)[name];
  if (place !== undefined) return place;
  if (name === "control") return world.control;
  if (name.startsWith("remote ")) return join(world.remotes, name.slice("remote ".length));
  if (name.startsWith("code/")) return join(ownersPlace(world), name.slice("code/".length));
  const [ecosystem = "", repo = ""] = name.split("/");
  if (repo === "" || ["workspace", "state", "repos", "ticket"].includes(repo)) return null;
  return join(world.workspace(ecosystem), "repos", repo);
}
