/**
 * A place in which a real host is started: a home, a project, and a server of amof that writes down what it is told.
 *
 * @module
 */

import { dirname, join } from "@std/path";
import { fieldsOf } from "../../src/base/object.ts";
import type { Trial } from "./hosts.ts";
import { writeProgram } from "../support/program.ts";

/** What is known of a host before it is started. */
type Startable = Pick<Trial, "host" | "program" | "env" | "files">;

/** The checkout. */
export const ROOT = dirname(dirname(import.meta.dirname ?? "."));
/** Where packages of npm stay. */
export const PACKAGES = join(ROOT, "bin", "hosts");

/** The program. */
export const AMOF = join(ROOT, "bin", "amof");

/** Runs a program to its end, at most for ten minutes; answers what it printed. */
export async function run(
  words: readonly string[],
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<string> {
  const [command = "", ...args] = words;
  const { success, stdout, stderr } = await new Deno.Command(command, {
    args,
    cwd: options.cwd,
    ...options.env === undefined ? {} : { clearEnv: true, env: options.env },
    stdin: "null",
    signal: AbortSignal.timeout(600_000),
  }).output();
  const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  return success ? text : `${text}\n[failed]`;
}

/** What a server was told, each a JSON object. */
export type Messages = readonly Readonly<Record<string, unknown>>[];

/** The messages of a file, one in a line; what is none is passed over. */
async function messagesIn(path: string): Promise<Messages> {
  const lines = (await Deno.readTextFile(path).catch(() => "")).split("\n").filter(Boolean);
  return lines.flatMap((line) => {
    try {
      return [fieldsOf(JSON.parse(line))];
    } catch {
      return [];
    }
  });
}

/** Whether who sent these has connected. */
export function isConnected(messages: Messages): boolean {
  return messages.some(({ method }) =>
    method === "notifications/initialized" || method === "tools/list"
  );
}

/** Its places; dispose of it when the host has ended. */
export class HostPlace implements AsyncDisposable {
  readonly home: string;
  readonly project: string;
  readonly env: Readonly<Record<string, string>>;
  /** The program as hosts start it. */
  readonly server: string;
  /** What hooks write. */
  readonly hook: string;
  readonly world: string;
  readonly #program: string;
  readonly #said: (text: string) => string;

  private constructor(world: string, { host, program, env }: Startable, model: string) {
    this.world = world;
    this.home = join(world, "home");
    this.project = join(world, "project");
    this.server = join(world, "bin", "amof");
    this.hook = join(world, "hook");
    this.#program = join(PACKAGES, host, "node_modules", program);
    const words: Readonly<Record<string, string>> = {
      URL: model,
      BASE: model.replace(/\/v1$/, ""),
      PROJECT: this.project,
      WORLD: world,
    };
    this.#said = (text) =>
      text.replace(/\b(?:URL|BASE|PROJECT|WORLD)\b/g, (word) => words[word] ?? word);
    this.env = {
      HOME: this.home,
      PATH: `${dirname(this.server)}:${Deno.env.get("PATH") ?? ""}`,
      TERM: "dumb",
      NO_COLOR: "1",
      GIT_AUTHOR_NAME: "A",
      GIT_AUTHOR_EMAIL: "a@example.org",
      GIT_COMMITTER_NAME: "A",
      GIT_COMMITTER_EMAIL: "a@example.org",
      ...Object.fromEntries(
        Object.entries(env ?? {}).map(([name, value]) => [name, this.#said(value)]),
      ),
    };
  }

  /** Makes one for a host, with the files of its home that it needs. */
  static async make(trial: Startable, model: string): Promise<HostPlace> {
    const world = await Deno.makeTempDir({ prefix: `amof-host-${trial.host}-` });
    const place = new HostPlace(await Deno.realPath(world), trial, model);
    for (const directory of [place.home, place.project, dirname(place.server)]) {
      await Deno.mkdir(directory);
    }
    await Deno.symlink(AMOF, place.server);
    for (const [name, text] of Object.entries(trial.files ?? {})) {
      await Deno.mkdir(dirname(join(place.home, name)), { recursive: true });
      await Deno.writeTextFile(join(place.home, name), place.#said(text));
    }
    return place;
  }

  get #log(): string {
    return join(this.world, "log");
  }

  get #answers(): string {
    return join(this.world, "answers");
  }

  get #variables(): string {
    return join(this.world, "variables");
  }

  /** Names of the variables that the host has handed on to the server, as this place gave them. */
  async handedOn(): Promise<ReadonlySet<string>> {
    const lines = (await Deno.readTextFile(this.#variables).catch(() => "")).split("\n");
    const same = Object.entries(this.env).filter(([name, value]) =>
      lines.includes(`${name}=${value}`)
    );
    return new Set(same.map(([name]) => name));
  }

  /** From here on the program as hosts start it writes down what comes in, and what goes out. */
  async listen(): Promise<void> {
    await Deno.remove(this.server);
    const words =
      `#!/bin/sh\nenv >'${this.#variables}'\ntee -a '${this.#log}' | '${AMOF}' "$@" | tee -a '${this.#answers}'\n`;
    await writeProgram(this.server, words);
  }

  /** What the server was told. */
  heard(): Promise<Messages> {
    return messagesIn(this.#log);
  }

  /** What the server said. */
  said(): Promise<Messages> {
    return messagesIn(this.#answers);
  }

  /** The tools that the server listed last; none where nobody asked. */
  async listed(): Promise<readonly string[]> {
    const tools = (await this.said()).map(({ result }) => fieldsOf(result)["tools"])
      .filter(Array.isArray).at(-1) ?? [];
    return tools.map((tool) => String(fieldsOf(tool)["name"]));
  }

  /** Starts the host; answers what it printed. */
  async start(words: readonly string[]): Promise<string> {
    return await run([this.#program, ...words.map(this.#said)], {
      cwd: this.project,
      env: this.env,
    });
  }

  /** Takes everything away, also what the host goes on writing for a moment. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (let tries = 0; tries < 20; tries++) {
      try {
        return await Deno.remove(this.world, { recursive: true });
      } catch (error) {
        if (tries === 19) throw error;
        await new Promise((done) => setTimeout(done, 250));
      }
    }
  }
}
