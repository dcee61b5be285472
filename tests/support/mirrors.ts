/**
 * What the tests of mirrors share: a context over a test's world, and the calls of git that were made in it.
 *
 * @module
 */

import { dirname, join } from "@std/path";
import { Git } from "../../src/git/mod.ts";
import { Clones } from "../../src/git/write/mod.ts";
import { layoutOf } from "../../src/base/system/layout.ts";
import { openStore } from "../../src/state/store/open.ts";
import type { ProcessRequest, System } from "../../src/base/system/mod.ts";
import { branchName, repoName, sha } from "../../src/base/ids.ts";
import { freshMirror } from "../../src/workspace/mirrors/mod.ts";
import type { MirrorTools } from "../../src/workspace/mirrors/place.ts";
import type { Repo } from "../../src/workspace/manifest/manifest.ts";
import { writeRecord } from "./ticket_workspace.ts";
import { World } from "./world.ts";
import { hermetic, rememberingReporter } from "../unit/_support.ts";

/** A context in which mirrors are made, and what was done in it. */
export interface Setting {
  readonly ctx: MirrorTools;
  /** The verbs of git with their directories, in order. */
  readonly calls: string[];
  /** What was told, as `level message`. */
  readonly lines: readonly string[];
}

/** The first word that is no option of ours. */
function verbOf({ args }: ProcessRequest): string {
  const rest = [...args];
  while (rest[0] === "-c") rest.splice(0, 2);
  return rest[0] ?? "";
}

/** A context over a world; `now` is what its clock says. */
export function settingOf(world: World, now: () => number = Date.now): Setting {
  const real = hermetic(world);
  const calls: string[] = [];
  const system: System = {
    ...real,
    clock: { ...real.clock, now },
    processes: {
      ...real.processes,
      run(request) {
        calls.push(verbOf(request));
        return real.processes.run(request);
      },
    },
  };
  const report = rememberingReporter();
  const layout = layoutOf(system.env);
  const store = () => Promise.resolve(openStore(layout.database));
  const signal = new AbortController().signal;
  return {
    ctx: { system, git: new Git(system), layout, report, signal, store },
    calls,
    lines: report.lines,
  };
}

/** A repository as a manifest has it. */
export function repoOf(world: World, name = "api", fields: Partial<Repo> = {}): Repo {
  return {
    name: repoName(name),
    url: world.url(name),
    branch: branchName("main"),
    branchGiven: true,
    path: `repos/${name}`,
    clone: "full",
    mirrored: false,
    carry: [],
    sparse: [],
    lfs: false,
    submodules: false,
    readonly: false,
    enabled: true,
    tags: [],
    dependsOn: [],
    include: [],
    exclude: [],
    ...fields,
  };
}

/** A world with the remote `api`, and nothing else. */
export function worldWithRemote(): Promise<World> {
  return World.like("a remote", (world) => world.addRemote("api"));
}

/** Adds a commit to a branch of the remote `api`; answers it. */
export async function commitUpstream(
  world: World,
  branch = "main",
  text = "more",
): Promise<string> {
  const seed = join(world.directory, "seed", "api");
  await world.git(seed, "checkout", "--quiet", "-B", branch);
  await Deno.writeTextFile(join(seed, `${text}.txt`), `${text}\n`);
  await world.git(seed, "add", "--all");
  await world.git(seed, "commit", "--quiet", "-m", `Write ${text}`);
  await world.git(seed, "push", "--quiet", "--force", join(world.remotes, "api.git"), branch);
  return await world.git(seed, "rev-parse", "HEAD");
}

/** A ticket whose clones borrow, and what is made for it. */
export interface BorrowingTicket {
  readonly repos?: readonly string[];
  readonly context?: readonly string[];
  /** The base branch of all its repositories. */
  readonly base?: string;
}

/** Makes the workspace of a ticket of `demo` whose clones borrow from mirrors; answers its directory. */
export async function borrowTicket(
  world: World,
  id: string,
  { repos = ["api"], context = [], base = "main" }: BorrowingTicket = {},
): Promise<string> {
  const { ctx } = settingOf(world);
  const directory = join(world.control, "worktrees", `demo@${id}`);
  const store = openStore(ctx.layout.database);
  const entries: [string, unknown][] = [];
  for (const name of [...repos, ...context]) {
    const repo = repoOf(world, name);
    const mirror = (await freshMirror(ctx, repo, { fresh: Infinity }))?.directory ?? "";
    const path = `repos/${name}`;
    const role = context.includes(name) ? "context" : "work";
    const branch = role === "context" ? base : `feature/${id}`;
    const start = sha(await world.git(mirror, "rev-parse", base));
    const clone = join(directory, path);
    await Deno.mkdir(dirname(clone), { recursive: true });
    await ctx.git.at(dirname(clone), name).part(Clones).borrow({
      mirror,
      directory: clone,
      url: repo.url,
      base,
      branch,
      start,
      track: role === "context",
    });
    const { control: root } = world;
    store.borrowers.add({ mirror, directory: clone, root, ecosystem: "demo", ticket: id });
    entries.push([name, { path, role, branch, base, start, mirror }]);
  }
  store.close();
  await writeRecord(directory, {
    version: 1,
    ticket_id: id,
    ecosystem: "demo",
    created_at: "2026-01-02T03:04:05.000Z",
    phase: "started",
    repos: Object.fromEntries(entries),
    env: { port_base: 20000, port_count: 20 },
  });
  return directory;
}
