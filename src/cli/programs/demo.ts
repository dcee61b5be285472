/**
 * `amof demo [DIR]`: builds a sandbox and walks the main job through the real program.
 *
 * Everything it makes is below one directory, state included; nothing else is touched.
 *
 * @module
 */

import { join, toFileUrl } from "@std/path";
import { AmofError, EXIT } from "../../error.ts";
import { Git, type Repository } from "../../git/mod.ts";
import type { System } from "../../system/mod.ts";
import { program } from "../../command/line/program.ts";
import { writeProvisioners } from "./demo_provisioners.ts";
import { emptyDirectory, type Sandbox, show } from "./demo_sandbox.ts";
import { walkStockTrim } from "./demo_stocktrim.ts";
import { hostConfig } from "./mcp_config.ts";

const ECOSYSTEM = "shop";
/** A second ecosystem, of containers only. */
const CONTAINERS = "stage";
const REPOS = ["api", "web", "docs"] as const;
const READONLY = "docs";

/** Makes commits in the sandbox the demo's own, whoever runs it. */
async function signAsDemo(repository: Repository): Promise<void> {
  await repository.setConfig("user.name", "Demo");
  await repository.setConfig("user.email", "demo@example.invalid");
  await repository.setConfig("commit.gpgSign", "false");
}

async function commitAll(repository: Repository, remote: string | null): Promise<void> {
  await signAsDemo(repository);
  await repository.commits.all("Begin");
  if (remote === null) return;
  await repository.remotes.add("origin", remote);
  const head = await repository.refs.resolve("HEAD");
  const outcome = head === null
    ? null
    : await repository.remotes.push({ commit: head, branch: "main" });
  if (outcome?.ok !== true) {
    throw new AmofError("git_failed", "Cannot fill a demo remote", {
      details: { stderr: outcome?.result.stderr ?? "" },
    });
  }
}

const CONTAINERS_MANIFEST = `name: ${CONTAINERS}
description: A web server in a container
provisioner: compose
provisioner_env: [DOCKER_HOST, DOCKER_CONTEXT]
repos: []
`;

/** Makes the control repository, three remotes with a first commit each, and the ecosystem over them. */
async function build(system: System, git: Git, directory: string): Promise<Sandbox> {
  const { files } = system;
  const control = join(directory, "control");
  const manifest = [
    `name: ${ECOSYSTEM}`,
    "description: A small shop in three repositories",
    "provisioner: local",
    "repos:",
  ];
  for (const name of REPOS) {
    const remote = join(directory, "remotes", `${name}.git`);
    const seed = join(directory, "seed", name);
    await files.makeDirectory(remote);
    await files.makeDirectory(seed);
    await git.at(remote).init(true);
    await git.at(seed).init(false);
    await files.write(join(seed, "README.md"), `# ${name}\n`);
    await commitAll(git.at(seed, "demo"), remote);
    manifest.push(`  - name: ${name}`, `    url: ${toFileUrl(remote).href}`, "    branch: main");
    if (name === READONLY) manifest.push("    readonly: true");
  }
  await files.removeTree(join(directory, "seed"));
  await files.makeDirectory(control);
  await git.at(control).init(false);
  await files.write(
    join(control, "ecosystems", ECOSYSTEM, "ecosystem.yaml"),
    `${manifest.join("\n")}\n`,
  );
  await files.write(
    join(control, "ecosystems", ECOSYSTEM, "kb", "README.md"),
    `# Knowledge base of ${ECOSYSTEM}\n`,
  );
  await files.write(
    join(control, "ecosystems", CONTAINERS, "ecosystem.yaml"),
    CONTAINERS_MANIFEST,
  );
  await writeProvisioners(files, control);
  await commitAll(git.at(control, "demo"), null);
  return {
    directory,
    control,
    environment: { AMOF_HOME: join(directory, "home"), AMOF_ROOT: control, NO_COLOR: "1" },
  };
}

/** Whether a program is there and runs. */
async function works(system: System, command: string, args: readonly string[]): Promise<boolean> {
  const result = await system.processes.run({ command, args, timeoutMs: 20_000 });
  return result.exitCode === 0;
}

/** Makes an environment and removes it again, where this machine can. */
async function walkEnvironment(
  system: System,
  sandbox: Sandbox,
  say: (text: string) => void,
): Promise<void> {
  const server = await works(system, "python3", ["--version"]) ||
    await works(system, "node", ["--version"]);
  if (!server || !await works(system, "bash", ["--version"])) {
    say("Environments are left out: the provisioner local needs bash, and python3 or node");
    return;
  }
  const spin = (...args: readonly string[]) => ["-e", ECOSYSTEM, "spin", ...args];
  say(
    "An environment is made by a script of the control repository, which nobody has approved yet",
  );
  await show(system, sandbox, spin("deploy", "--yes"), EXIT.refused);
  say("At a terminal you would be asked; here the hash says which contents are meant");
  const planned = await show(system, sandbox, spin("trust", "--dry-run"), EXIT.ok);
  const hash = /^Hash: +([0-9a-f]{64})$/m.exec(planned.stdout)?.[1] ?? "";
  await show(system, sandbox, spin("trust", "--hash", hash, "--yes"), EXIT.ok);
  await show(system, sandbox, spin("deploy", "--dry-run"), EXIT.ok);
  await show(system, sandbox, spin("deploy", "--yes"), EXIT.ok);
  await show(system, sandbox, spin("status"), EXIT.ok);
  say("To destroy it takes the name of the ecosystem");
  await show(system, sandbox, spin("destroy", "--yes"), EXIT.refused);
  await show(system, sandbox, spin("destroy", "--confirm-name", ECOSYSTEM), EXIT.ok);
}

/** The directory of the demo's workspace. */
function workspaceOf({ control }: Sandbox): string {
  return join(control, "worktrees", ECOSYSTEM);
}

/** Shows status, push with its token, and the log of the run. */
async function walkPush(
  system: System,
  git: Git,
  sandbox: Sandbox,
  say: (text: string) => void,
): Promise<void> {
  const workspace = workspaceOf(sandbox);
  for (const name of REPOS) {
    await signAsDemo(git.at(join(workspace, "repos", name)));
  }
  const api = join(workspace, "repos", "api");
  await git.at(api, "api").branches.create("feature/DEMO-1");
  await system.files.write(join(api, "greeting.txt"), "Hello\n");
  say("A file was added to api, on the branch feature/DEMO-1");
  await show(system, sandbox, ["-e", ECOSYSTEM, "status"], EXIT.ok);

  const push = ["-e", ECOSYSTEM, "push", "--commit", "--message", "DEMO-1 Add a greeting"];
  say("Plan mode previews and changes nothing");
  await show(system, sandbox, [...push, "--dry-run"], EXIT.ok);
  say("Nobody is at a terminal here, so the push is refused and hands out a token");
  const refused = await show(system, sandbox, push, EXIT.refused);
  const token = /amof confirm (\S+)/.exec(refused.stderr)?.[1];
  if (token === undefined) {
    throw new AmofError("subprocess_failed", "The demo found no token in the refusal");
  }
  say("The token is worth exactly what was previewed, once");
  await show(system, sandbox, ["confirm", token], EXIT.ok);
  say("Every run has a record and a log");
  await show(system, sandbox, ["runs", "list"], EXIT.ok);
  const listed = await show(
    system,
    sandbox,
    ["runs", "list", "--action", "push", "--json"],
    EXIT.ok,
  );
  const { runs } = JSON.parse(listed.stdout) as { runs: { run_id: string }[] };
  await show(system, sandbox, ["runs", "logs", runs[0]?.run_id.slice(0, 8) ?? ""], EXIT.ok);
}

/** Tells how to go on in the sandbox, at a terminal and with an AI host. */
async function sayGoodbye(
  system: System,
  sandbox: Sandbox,
  say: (text: string) => void,
): Promise<void> {
  const { terminal } = system;
  const self = system.processes.self().map((word) => /\s/.test(word) ? `'${word}'` : word).join(
    " ",
  );
  say("Go on by yourself:");
  terminal.out([
    `alias amof='${self}'`,
    `export AMOF_HOME=${sandbox.environment["AMOF_HOME"]} AMOF_ROOT=${sandbox.control}`,
    `cd ${workspaceOf(sandbox)}`,
    "amof status",
    "amof push --help",
    `amof -e ${CONTAINERS} spin deploy   # needs a container engine`,
    "",
  ].join("\n"));
  say(
    "Let an AI host do it, for example Claude Code with this .mcp.json (other hosts: amof mcp install --help):",
  );
  const env = { AMOF_HOME: sandbox.environment["AMOF_HOME"] ?? "" };
  terminal.out(await hostConfig("claude-code", system.processes.self(), sandbox.control, { env }));
}

/** `amof demo`. */
export const demoProgram = program({
  path: ["demo"],
  summary: "Build a sandbox and walk list, install, status, push and spin in it.",
  description:
    "Makes a control repository, an ecosystem of three repositories with their remotes, and two provisioners in DIR (a new temporary directory when absent). With --toolset stocktrim it serves a stand-in of the StockTrim service on this machine instead, and looks, deletes and verifies there; at a terminal the stand-in answers until you press Enter.",
  positionals: ["directory"],
  examples: ["demo", "demo ~/amof-demo", "demo --toolset stocktrim"],
  input: (z) =>
    z.strictObject({
      directory: z.string().optional().describe("A new or empty directory"),
      toolset: z.enum(["ecosystem", "stocktrim"]).default("ecosystem")
        .describe("What is shown: work on repositories, or a shop kept by StockTrim"),
    }),
  async main({ app }, input) {
    const { system } = app;
    const { terminal } = system;
    const say = (text: string) => terminal.out(`\n# ${text}\n`);
    const git = new Git(system);
    const directory = await emptyDirectory(system, input.directory);
    if (input.toolset === "stocktrim") return await walkStockTrim(system, directory, say);
    const sandbox = await build(system, git, directory);
    say(`A control repository and three remotes were made in ${directory}`);
    await show(system, sandbox, ["ecosystem", "list"], EXIT.ok);
    say("Install: a worktree of the control repository with every repository cloned");
    await show(system, sandbox, ["-e", ECOSYSTEM, "install", "--yes"], EXIT.ok);

    await walkPush(system, git, sandbox, say);
    await walkEnvironment(system, sandbox, say);

    await sayGoodbye(system, sandbox, say);
    say(`Done. Remove it all with: rm -r ${directory}`);
    return EXIT.ok;
  },
});
