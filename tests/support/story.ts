/**
 * Stories: a walk at the command line as a plain text script, with what it must show.
 *
 * `.github/CONTRIBUTING.md` has the format. What differs from run to run is compared by a name. `<id-1>` is the
 * first UUID, hash or beginning of one that was shown, and stands for it in later commands. `<dir>` is the
 * directory of the world, `<when>` a point in time and `<time>` a duration.
 *
 * Empty lines of output are left out. So are the log of a run, whose lines begin with a time, and the list of
 * next steps.
 *
 * @module
 */

import { resolve } from "@std/path";
import { forgeWorld } from "./forge/world.ts";
import { prepareRelease, trainWorld } from "./release_world.ts";
import { QUIET_GIT, type Ran, World } from "./world.ts";

/** Where stories can begin; the words behind are names of repositories. The last of a train is unchanged. */
const WORLDS: Readonly<Record<string, (repos: readonly string[]) => Promise<World>>> = {
  empty: () => World.make(),
  ecosystem: (repos) => World.withEcosystem(repos.length === 0 ? {} : { repos }),
  installed: (repos) => World.installed(repos.length === 0 ? {} : { repos }),
  release: () => World.like("release", prepareRelease),
  forge: async (repos) => (await forgeWorld("github", repos)).world,
  train: (repos) => trainWorld(repos, repos.slice(-1)),
};

const COMMAND = /^ {2}\$ (.*)$/;
const FILE = /^(?=-- .+ --$)/m;
const NEXT = /^Next:\n(?: {2}amof .*\n)+/m;
const LOG = /^\d\d:\d\d:\d\d\.\d{3} /;

/** Names for what differs from run to run, as far as a story has come. */
class Names {
  readonly #ids: string[] = [];

  constructor(readonly directory: string) {}

  #id(id: string, blanks: string): string {
    let at = this.#ids.findIndex((one) => one.startsWith(id) || id.startsWith(one));
    if (at < 0) at = this.#ids.length;
    if (id.length > (this.#ids[at]?.length ?? 0)) this.#ids[at] = id;
    const name = `<id-${at + 1}>`;
    return blanks === "" ? name : name.padEnd(id.length) + blanks;
  }

  /** Puts the names into a text. */
  hide(text: string): string {
    const hidden = text.replaceAll(this.directory, "<dir>")
      .replaceAll(/\b(?:\d{8}T\d{6,9}Z|\d{4}-\d\d-\d\d(?:[T ][\d:.]+Z?)?)/g, "<when>")
      .replaceAll(/\bjust now\b|\b\d+ (?:s|min|h|d) ago\b/g, "<when>")
      .replaceAll(/\b\d+(?:\.\d+)? ?(?:ms|s|min)\b/g, "<time>")
      .replaceAll(
        /\b([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{7,64})\b( {2,})?/g,
        (_, id: string, blanks = "") => this.#id(id, blanks),
      );
    // Columns are as wide as what stands in them.
    return /<dir>|<when>|<time>/.test(hidden) ? hidden.replaceAll(/(\S) {2,}/g, "$1  ") : hidden;
  }

  /** Puts what the names stand for into a command. */
  fill(line: string): string {
    return line.replaceAll("<dir>", this.directory)
      .replaceAll(/<id-(\d+)>/g, (name, number) => this.#ids[Number(number) - 1] ?? name);
  }
}

/** Whether lines are what a story expects. */
function matches(expected: readonly string[], actual: readonly string[]): boolean {
  const pattern = expected.map((line) =>
    line === "..."
      ? "(?:.*\n)*?"
      : `${
        line.split("[..]").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")).join(".*")
      }\n`
  );
  return new RegExp(`^${pattern.join("")}$`).test(actual.map((line) => `${line}\n`).join(""));
}

/** Runs the commands of one story, one after the other, in its world. */
class Teller {
  readonly #names: Names;
  readonly #env: Record<string, string> = {};

  constructor(
    readonly world: World,
    private cwd: string,
    private readonly program: readonly string[] | null,
  ) {
    this.#names = new Names(world.directory);
  }

  #shell(line: string): Promise<Ran> {
    const { control: CONTROL, remotes: REMOTES } = this.world;
    const env = { CONTROL, REMOTES, REPOS: this.world.clone(""), ...this.#env, ...QUIET_GIT };
    return this.world.command("sh", ["-c", line], { cwd: this.cwd, env });
  }

  /** What a command prints, in the lines of a story. */
  async tell(command: string): Promise<string[]> {
    const line = this.#names.fill(command);
    const [, name, rest = "", file] = /^(amof|cd|export) (.*?)(?: < (\S+))?$/.exec(line) ?? [];
    if (name === undefined) return this.#lines(await this.#shell(line));
    // The shell takes the words apart, as it does for a person.
    const words = (await this.#shell(`printf '%s\\0' ${rest}`)).stdout.split("\0").slice(0, -1);
    const [first = ""] = words;
    if (name === "amof") {
      const input = file === undefined
        ? {}
        : { stdin: await Deno.readTextFile(resolve(this.cwd, file)) };
      const options = { cwd: this.cwd, env: this.#env, ...input };
      if (this.program === null) return this.#lines(await this.world.amof(words, options));
      const [program = "", ...before] = this.program;
      return this.#lines(await this.world.command(program, [...before, ...words], options));
    }
    if (name === "cd") this.cwd = resolve(this.cwd, first);
    else this.#env[first.replace(/=.*$/, "")] = first.replace(/^[^=]*=/, "");
    return [];
  }

  #lines(ran: Ran): string[] {
    const shown = (text: string, before = "") => {
      const lines = text.replace(NEXT, "").split("\n")
        .filter((line) => line.trim() !== "" && !LOG.test(line));
      if (lines.length === 0) return [];
      return this.#names.hide(lines.join("\n")).split("\n").map((line) => before + line.trimEnd());
    };
    const exit = ran.code === 0 ? [] : [`[exit ${ran.code}]`];
    return [...shown(ran.stdout), ...shown(ran.stderr, "2> "), ...exit];
  }
}

/**
 * Tells a story; answers its text as it happened. What matches what is expected stays as it is written. Its commands are
 * those of `program`, an argument vector, where that is not the one under test.
 */
export async function retell(
  text: string,
  program: readonly string[] | null = null,
): Promise<string> {
  const [head = "", ...files] = text.split(FILE);
  const script = head.split("\n");
  const [kind = "", ...repos] = /^world: (.*)$/m.exec(head)?.[1]?.split(" ") ?? [];
  const make = WORLDS[kind];
  if (make === undefined) throw new Error(`A story begins in one of ${Object.keys(WORLDS)}`);
  await using world = await make(repos);
  for (const file of files) {
    const [path = "", ...content] = file.split("\n");
    await world.write(path.slice(3, -3), content.join("\n"));
  }
  const teller = new Teller(world, kind === "empty" ? world.directory : world.control, program);
  const told: string[] = [];
  for (let at = 0; at < script.length;) {
    const line = script[at++] ?? "";
    told.push(line);
    const command = COMMAND.exec(line)?.[1];
    if (command === undefined) continue;
    const from = at;
    while (script[at]?.startsWith("  ") && !COMMAND.test(script[at] ?? "")) at++;
    const expected = script.slice(from, at).map((one) => one.slice(2));
    const actual = await teller.tell(command);
    told.push(...(matches(expected, actual) ? expected : actual).map((one) => `  ${one}`));
  }
  return told.join("\n") + files.join("");
}
