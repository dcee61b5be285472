// Worlds whose remotes are at a forge: the double, reached as programs of the user reach a real one.

import { join, toFileUrl } from "@std/path";
import { World } from "../world.ts";
import { type Dialect, Double } from "./double.ts";
import { gitea } from "./gitea.ts";
import { github } from "./github.ts";
import { gitlab } from "./gitlab.ts";
import { writeProgram } from "../program.ts";

/** The kinds of forges there are doubles of. */
export type Kind = "github" | "gitlab" | "gitea";

const DIALECTS: Readonly<Record<Kind, { readonly dialect: Dialect; readonly root: string }>> = {
  github: { dialect: github, root: "/" },
  gitlab: { dialect: gitlab, root: "/api/v4/" },
  gitea: { dialect: gitea, root: "/api/v1/" },
};

/** The variable that lets the stand-in of gh kill its caller, `before` or `after` so manieth change: `after 2`. */
export const KILL = "TEST_KILL_AT";

/** Does what `gh api` and `glab api` do, by curl. */
function stub(root: string): string {
  return `#!/bin/sh
[ "$1" = api ] || exit 1
shift
input=
known=X-Known:
while [ $# -gt 1 ]; do
  case $1 in
    --method) method=$2; shift ;;
    --input) input=1; shift ;;
    --header) case $2 in If-None-Match*) known=$2 ;; esac; shift ;;
    --hostname) shift ;;
  esac
  shift
done
if [ -n "$input" ]; then set -- --data-binary @- "${root}$1"; else set -- --header "$known" "${root}$1"; fi
if [ "$method" != GET ] && [ -n "$${KILL}" ]; then
  echo >> "$0.changes"
  number=$(wc -l < "$0.changes" | tr -d " ")
  if [ "before $number" = "$${KILL}" ]; then kill -9 $PPID; exit 1; fi
  if [ "after $number" = "$${KILL}" ]; then
    curl -sS -i -X "$method" "$@" > /dev/null
    kill -9 $PPID
    exit 1
  fi
fi
exec curl -sS -i -X "$method" "$@"
`;
}

/** Whether a program can be started. */
export async function hasProgram(program: string): Promise<boolean> {
  try {
    return (await new Deno.Command(program, { args: ["--version"], stdout: "null" }).output())
      .success;
  } catch {
    return false;
  }
}

/** A world with a forge, and what is in front of its remotes. */
export interface ForgeWorld extends AsyncDisposable {
  readonly world: World;
  readonly forge: Double;
}

/** Makes a world whose repositories depend on each other from the last to the first, installed, at a forge. */
export async function forgeWorld(
  kind: Kind,
  repos: readonly string[],
  extra = "",
  { real = false }: {
    /** Whether the programs of the forges are those that are installed. */
    readonly real?: boolean;
  } = {},
): Promise<ForgeWorld> {
  const world = await World.make();
  const { dialect, root } = DIALECTS[kind];
  const socket = join(world.directory, "s");
  const forge = new Double(world.remotes, dialect, real ? { root, socket } : { root });
  world.along.push(forge);
  const dispose = () => world[Symbol.asyncDispose]();
  try {
    const local = `http://127.0.0.1:${forge.port}`;
    const site = kind === "gitea" ? local : `https://${kind}.com`;
    await world.write(
      "gitconfig",
      `[url "${toFileUrl(world.remotes).href}/"]\n\tinsteadOf = ${site}/shop/\n`,
    );
    world.env["GIT_CONFIG_GLOBAL"] = join(world.directory, "gitconfig");
    const bin = join(world.directory, "bin");
    await Deno.mkdir(bin);
    if (real) {
      const key = "none that anybody checks";
      await world.write("gh/config.yml", `http_unix_socket: ${socket}\n`);
      world.env["GH_CONFIG_DIR"] = join(world.directory, "gh");
      world.env["GH_TOKEN"] = key;
      const host = `{api_protocol: http, api_host: "127.0.0.1:${forge.port}"}`;
      await world.write("glab/config.yml", `hosts:\n  gitlab.com: ${host}\n`);
      await Deno.chmod(join(world.directory, "glab", "config.yml"), 0o600); // glab insists
      world.env["GLAB_CONFIG_DIR"] = join(world.directory, "glab");
      world.env["GITLAB_TOKEN"] = key;
    }
    for (const program of real ? [] : ["gh", "glab"]) {
      await writeProgram(join(bin, program), stub(`${local}${root}`));
    }
    world.env["PATH"] = `${bin}:${world.env["PATH"] ?? ""}`;
    await world.makeControl();
    for (const repo of repos) await world.addRemote(repo);
    const rows = repos.flatMap((repo, at) => [
      `  - name: ${repo}`,
      `    url: ${site}/shop/${repo}.git`,
      "    branch: main",
      ...(at === 0 ? [] : [`    depends_on: [${repos[at - 1]}]`]),
    ]);
    const forges = kind === "gitea" ? `forges: {"127.0.0.1": gitea}\n` : "";
    await world.write(
      "control/ecosystems/demo/ecosystem.yaml",
      `name: demo\nrepos:\n${rows.join("\n")}\n${forges}${extra}`,
    );
    await world.git(world.control, "add", "ecosystems");
    await world.git(world.control, "commit", "--quiet", "-m", "Add demo");
    await world.install();
    return { world, forge, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** Begins a ticket in the base workspace, with a commit in each of some repositories. */
export async function beginTicket(
  world: World,
  ticket: string,
  repos: readonly string[],
): Promise<void> {
  const ran = await world.amof(["ticket", "start", ticket]);
  if (ran.code !== 0) throw new Error(ran.stderr);
  for (const repo of repos) await commitIn(world, repo, `${repo} learns something`);
}

/** Makes a commit on the branch that is checked out. */
export async function commitIn(world: World, repo: string, subject: string): Promise<string> {
  const clone = world.clone(repo);
  const file = `${subject.replaceAll(/\W+/g, "-")}.txt`;
  await Deno.writeTextFile(join(clone, file), `${subject}\n`);
  await world.git(clone, "add", ".");
  await world.git(clone, "commit", "--quiet", "-m", subject);
  return await world.git(clone, "rev-parse", "HEAD");
}
