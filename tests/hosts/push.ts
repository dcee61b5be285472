/**
 * A push over SSH that a model in a real host asks for, and a person approves at a terminal: what the host hands on to
 * the server has to be enough for git, and what the host answers by itself to a form must not end the request.
 *
 * @module
 */

import { join } from "@std/path";
import { PseudoTerminal, quoted } from "../support/pseudo_terminal.ts";
import type { Caller } from "./hosts.ts";
import type { StandIn } from "./model.ts";
import { AMOF, HostPlace, run } from "./place.ts";

/** What a shell of a user may have that git or amof go by. Nothing listens at the proxy. */
const SHELL: Readonly<Record<string, string>> = {
  SSH_AUTH_SOCK: "WORLD/agent",
  GIT_SSH_COMMAND: "sh WORLD/home/ssh",
  GIT_CONFIG_GLOBAL: "WORLD/home/gitconfig",
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "core.abbrev",
  GIT_CONFIG_VALUE_0: "12",
  GIT_AUTHOR_NAME: "Mine",
  GIT_AUTHOR_EMAIL: "mine@example.org",
  GIT_COMMITTER_NAME: "Mine",
  GIT_COMMITTER_EMAIL: "mine@example.org",
  GIT_SSL_CAINFO: "/etc/ssl/certs/ca-certificates.crt",
  SSL_CERT_FILE: "/etc/ssl/certs/ca-certificates.crt",
  HTTPS_PROXY: "http://127.0.0.1:9",
  NO_PROXY: "127.0.0.1,localhost",
  GNUPGHOME: "WORLD/home/gnupg",
  DBUS_SESSION_BUS_ADDRESS: "unix:path=WORLD/bus",
  DISPLAY: ":77",
  XDG_CONFIG_HOME: "WORLD/home/xdg",
  AMOF_HOME: "WORLD/state",
  KUBECONFIG: "WORLD/home/kubeconfig",
  SLURM_CONF: "WORLD/home/slurm.conf",
};

/** A stand-in for SSH: it lets in who has the agent, and runs here what the remote would. */
const SSH = `[ "$SSH_AUTH_SOCK" = 'WORLD/agent' ] || {
  echo 'git@forge.invalid: Permission denied (publickey).' >&2
  exit 255
}
for word; do :; done
exec sh -c "$word"
`;

const FILES: Readonly<Record<string, string>> = {
  ssh: SSH,
  gitconfig: "[user]\n\tname = File\n\temail = file@example.org\n[init]\n\tdefaultBranch = main\n",
};

/** Approves a waiting request, as a person at a terminal does; answers what was on the terminal. */
async function approve(place: HostPlace, id: string): Promise<string> {
  const spawn = (
    command: string,
    args: readonly string[],
    { env, stdin = false }: { readonly env?: Record<string, string>; readonly stdin?: boolean } =
      {},
  ) =>
    new Deno.Command(command, {
      args: [...args],
      cwd: place.project,
      clearEnv: true,
      env: { ...place.env, ...env },
      stdin: stdin ? "piped" : "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
  const line = `exec ${[AMOF, "approve", id].map(quoted).join(" ")}`;
  const terminal = new PseudoTerminal({ spawn }, line, { env: { TERM: "xterm" } });
  const screen = () => terminal.text;
  await terminal.until(() => /y\/N|\?\s*$/.test(screen()), 30_000, screen);
  await terminal.types("y\n");
  await terminal.ends(30_000, screen);
  return screen();
}

/** How a host asked the person, and what it answered by itself; of every revision alike. */
async function asked(place: HostPlace): Promise<string> {
  const text = JSON.stringify(await place.said());
  if (!text.includes('"elicitation/create"')) return "approval";
  const action = /"action":"(\w+)"/.exec(JSON.stringify(await place.heard()))?.[1];
  return action === undefined ? "form, no answer" : `form: ${action} by itself`;
}

/** The columns of the table. */
export const PUSHED_HEAD: readonly string[] = ["host", "version", "pushes", "asks", "keeps back"];

/** The remote's branch of the ticket, once it is there; empty where it does not come. */
async function arrived(remote: string, place: HostPlace): Promise<string> {
  for (let tries = 0; tries < 60; tries++) {
    const text = await run(
      ["git", "-C", remote, "log", "-1", "--format=%an/%cn", "feature/T-1"],
      { cwd: place.world, env: place.env },
    );
    if (!text.includes("[failed]")) return text.trim();
    await new Promise((done) => setTimeout(done, 500));
  }
  return "";
}

/** Lets a model in a host push, with the entry that an installation wrote; answers a row and what was said. */
export async function push(
  caller: Caller,
  { version, model }: { readonly version: string; readonly model: StandIn },
): Promise<{ readonly row: string[]; readonly printed: string }> {
  await using place = await HostPlace.make({
    ...caller,
    env: { ...SHELL, ...caller.env },
    files: { ...FILES, ...caller.files },
  }, model.url);
  const remote = join(place.world, "api.git");
  const clone = join(place.project, "worktrees", "demo", "repos", "api");
  const within = { cwd: place.project, env: place.env };
  let printed = "";
  for (
    const words of [
      ["git", "init", "-q", "--bare", remote],
      ["git", "init", "-q"],
      ["git", "commit", "-q", "--allow-empty", "-m", "Begin"],
      ["git", "push", "-q", `ssh://git@forge.invalid${remote}`, "HEAD:main"],
      [AMOF, "ecosystem", "create", "demo", "--yes", "--commit"],
      [AMOF, "repo", "add", "api", `ssh://git@forge.invalid${remote}`, "--yes"],
      ["git", "commit", "-q", "-a", "-m", "Add api"],
      [AMOF, "install", "--yes"],
      [AMOF, "ticket", "start", "T-1"],
      [place.server, "mcp", "install", caller.host, "--yes"],
    ]
  ) printed += await run(words, within);
  await Deno.writeTextFile(join(clone, "work.txt"), "work\n");
  await place.listen();
  const pushes = { ecosystem: "demo", mode: "execute", commit: true, message: "T-1 Work" };
  const confirms = async (told: string) => {
    const id = /amof approve ([0-9a-f]{8})/.exec(told)?.[1] ?? "none";
    const token = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=\W+mode)/.exec(told)?.[0] ??
      "none";
    printed += await approve(place, id);
    return { token, mode: "execute" };
  };
  model.told();
  model.wants([
    ...caller.calls("amof_push_ecosystem", () => pushes),
    ...caller.calls("amof_confirm", confirms),
  ]);
  for (const before of caller.before ?? []) printed += await place.start(before);
  // A host may ask its model before its servers are up.
  for (let tries = 0; tries < 3 && !model.isDone(); tries++) {
    printed += await place.start(caller.start).catch(String);
  }
  model.wants([]);
  const people = (await arrived(remote, place)).split("/");
  printed += await run([AMOF, "runs", "list", "--json"], within);
  const handedOn = await place.handedOn();
  const kept = Object.keys(SHELL).filter((name) => !handedOn.has(name));
  return {
    row: [
      caller.host,
      version,
      people.length === 2 && people[0] === people[1] ? "yes" : "no",
      await asked(place),
      kept.map((name) => `\`${name}\``).join(", "),
    ],
    printed: printed + people.join("/") + model.told(),
  };
}
