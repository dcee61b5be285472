/** The sandbox of a demo: one directory with all that it makes, state included. */

import { join, resolve, toFileUrl } from "@std/path";
import { AmofError } from "../../../../base/error.ts";
import type { System } from "../../../../base/system/mod.ts";
import { textWidth } from "../../../../base/text/table.ts";
import { Git, type Repository } from "../../../../git/mod.ts";
import { Clones } from "../../../../git/write/mod.ts";

/** What the control repository of a demo is called. */
export const CONTROL = "control";
/** What the ecosystem of a demo is called. */
export const ECOSYSTEM = "shop";
/** The file that brings a shell into the sandbox. */
const ENTER = "enter.sh";

/** Where a demo takes place. */
export interface Sandbox {
  /** Absolute. */
  readonly directory: string;
  /** The control repository. */
  readonly control: string;
  /** Where commands are given once the ecosystem is installed. */
  readonly workspace: string;
  /** What they get besides the inherited environment. */
  readonly environment: Readonly<Record<string, string>>;
}

/** The directory that was named, or a new temporary one; throws where something is in it. */
export async function emptyPlace(system: System, given: string | undefined): Promise<string> {
  const base = system.env.get("TMPDIR") ?? system.env.get("TEMP") ?? "/tmp";
  const directory = given === undefined
    ? join(base, `amof-demo-${system.ids.hex(8)}`)
    : resolve(system.env.cwd, given);
  if (
    (await system.files.list(directory)).length > 0 ||
    (await system.files.stat(directory))?.kind === "file"
  ) {
    throw new AmofError(
      "invalid_arguments",
      `Cannot build the demo in "${directory}": it is not empty`,
      {
        hint: "Name an empty or new directory: amof demo DIR",
      },
    );
  }
  return directory;
}

/** Makes the directory of a sandbox; answers where it really is. */
export async function makePlace(system: System, directory: string): Promise<string> {
  await system.files.makeDirectory(directory);
  return await system.files.realPath(directory) ?? directory;
}

/** A word of a shell, whatever is in it. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Writes what brings a shell into the sandbox: its state, the program that ran the demo, and the place. */
export async function writeEnter(system: System, sandbox: Sandbox): Promise<void> {
  const { directory, environment, control, workspace } = sandbox;
  const self = system.processes.self().map(quoted).join(" ");
  await system.files.write(
    join(directory, ENTER),
    [
      "# Read by a shell, this makes amof work in the sandbox of the demo.",
      ...Object.entries(environment).map(([name, value]) => `export ${name}=${quoted(value)}`),
      `amof() { ${self} "$@"; }`,
      `cd ${quoted(workspace)} 2>/dev/null || cd ${quoted(control)} 2>/dev/null || cd ${
        quoted(directory)
      }`,
      "",
    ].join("\n"),
  );
}

/** A command without quotes in lines that a shell takes as one, without a blank that was not there. */
export function toPaste(text: string, width: number): string {
  const lines: string[] = [];
  let line = "";
  let rest = text;
  while (textWidth(line + rest) > width) {
    const [unit = ""] = /^\\?[^]/u.exec(rest) ?? [];
    if (textWidth(line + unit) >= width && line !== "") {
      lines.push(line);
      line = "";
    }
    line += unit;
    rest = rest.slice(unit.length);
  }
  return [...lines, line + rest].join("\\\n");
}

/** A path as one word of a shell without quotes, within which a line could not be broken. */
export function shellPath(text: string): string {
  return text.replaceAll(/[^\w./:@%+,\u0080-\uffff-]/g, "\\$&");
}

/** How somebody goes on by hand in the sandbox, and how all of it is removed: commands to paste. */
export function byHand({ directory }: Sandbox, width: number): {
  readonly enter: string;
  readonly remove: string;
} {
  return {
    enter: toPaste(`. ${shellPath(join(directory, ENTER))}`, width),
    remove: toPaste(`rm -rf ${shellPath(directory)}`, width),
  };
}

// What a demo works on: the repositories of a small shop, clones of somebody who has worked there, and colleagues.

/** The repositories of the shop. */
export const REPOS = ["api", "web", "docs"] as const;

/** Makes commits in the sandbox the demo's own, whoever runs it. */
async function signAsDemo(repository: Repository): Promise<void> {
  await repository.setConfig("user.name", "Demo");
  await repository.setConfig("user.email", "demo@example.invalid");
  await repository.setConfig("commit.gpgSign", "false");
}

/** Makes an empty repository whose first branch is main, and that commits as the demo. */
async function begin(system: System, directory: string): Promise<Repository> {
  await system.files.makeDirectory(directory);
  const repository = new Git(system).at(directory);
  await repository.init(false);
  await signAsDemo(repository);
  return repository;
}

/** Pushes what is checked out. Throws when the remote does not take it. */
async function push(repository: Repository, branch: string): Promise<void> {
  const commit = await repository.refs.resolve("HEAD");
  const outcome = commit === null ? null : await repository.remotes.push({ commit, branch });
  if (outcome?.ok !== true) {
    throw new AmofError("git_failed", "Cannot fill a remote of the demo", {
      details: { stderr: outcome?.result.stderr ?? "" },
    });
  }
}

/** Where the remote of a repository lies. */
function remoteOf({ directory }: Pick<Sandbox, "directory">, name: string): string {
  return join(directory, "remotes", `${name}.git`);
}

/** The clone of somebody else. */
async function colleague(
  system: System,
  sandbox: Pick<Sandbox, "directory">,
  name: string,
): Promise<Repository> {
  const directory = join(sandbox.directory, "colleague", name);
  const git = new Git(system);
  if (await system.files.stat(directory) === null) {
    const url = toFileUrl(remoteOf(sandbox, name)).href;
    await git.at(sandbox.directory).part(Clones).make({ url, directory, branch: "main" });
    await signAsDemo(git.at(directory));
  } else await git.at(directory).remotes.fetch(null);
  return git.at(directory);
}

/** Makes the remotes, a clone of each in `code`, an empty control repository, and news of a colleague in docs. */
export async function openShop(system: System, sandbox: Sandbox): Promise<void> {
  const { files } = system;
  for (const name of REPOS) {
    const remote = remoteOf(sandbox, name);
    await files.makeDirectory(remote);
    await new Git(system).at(remote).init(true);
    const directory = join(sandbox.directory, "code", name);
    const clone = await begin(system, directory);
    await files.write(join(directory, "README.md"), `# ${name}\n`);
    await clone.commits.all("Begin");
    await clone.remotes.add("origin", toFileUrl(remote).href);
    await push(clone, "main");
    await clone.branches.setUpstream("main", "origin/main");
  }
  const docs = await colleague(system, sandbox, "docs");
  await files.write(join(sandbox.directory, "colleague", "docs", "orders.md"), "# Orders\n");
  await docs.commits.all("Explain orders");
  await push(docs, "main");
  await new Git(system).at(join(sandbox.directory, "code", "docs")).remotes.fetch(null);
  const control = await begin(system, sandbox.control);
  await files.write(join(sandbox.control, "README.md"), `# ${CONTROL}\n`);
  await control.commits.all("Begin");
}

/** A colleague makes one commit on main out of a branch, as forges do when they squash. */
export async function squash(
  system: System,
  sandbox: Sandbox,
  { repos, branch, file, message }: {
    readonly repos: readonly string[];
    readonly branch: string;
    readonly file: string;
    readonly message: string;
  },
): Promise<void> {
  for (const name of repos) {
    const clone = await colleague(system, sandbox, name);
    const bytes = await clone.commits.fileAt(`origin/${branch}`, file);
    const text = new TextDecoder().decode(bytes ?? new Uint8Array());
    await system.files.write(join(sandbox.directory, "colleague", name, file), text);
    await clone.commits.all(message);
    await push(clone, "main");
  }
}
