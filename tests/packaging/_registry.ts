/**
 * A registry of npm packages on this machine alone: verdaccio, which npm brings for the test and which goes with it.
 *
 * @module
 */

import { join } from "@std/path";
import { emptied, run } from "../../.github/packaging/tools.ts";

/** The newest one that runs on Node 18 and later. */
const VERDACCIO = "verdaccio@6.0.5";

/** How long it may take to listen. */
const PATIENCE_MS = 120_000;

/** A registry that runs; it ends when it is disposed of. */
export class Registry implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #reading: Promise<void>;
  /** Where it is, with a slash at the end. */
  readonly url: string;

  private constructor(child: Deno.ChildProcess, reading: Promise<void>, url: string) {
    this.#child = child;
    this.#reading = reading;
    this.url = url;
  }

  /** Gets and starts one below a directory; answers in words why there is none. */
  static async start(directory: string): Promise<Registry | string> {
    const home = await emptied(join(directory, "verdaccio"));
    // What it asks for itself has been withdrawn.
    const overrides = { "node-fetch": "2.6.7" };
    await Deno.writeTextFile(join(home, "package.json"), JSON.stringify({ overrides }));
    const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];
    try {
      await run("npm", ["install", ...quiet, VERDACCIO], { cwd: home });
    } catch (error) {
      return error instanceof Error ? error.message.split("\n")[0] ?? "" : String(error);
    }
    const port = freePort();
    const config = {
      storage: join(home, "storage"),
      auth: { htpasswd: { file: join(home, "htpasswd") } },
      // Nothing is asked of any other registry.
      uplinks: {},
      max_body_size: "200mb",
      packages: { "**": { access: "$all", publish: "$all", unpublish: "$all" } },
      log: { type: "stdout", format: "json", level: "warn" },
    };
    await Deno.writeTextFile(join(home, "config.yaml"), JSON.stringify(config));
    const child = new Deno.Command(join(home, "node_modules/.bin/verdaccio"), {
      args: ["--config", join(home, "config.yaml"), "--listen", `127.0.0.1:${port}`],
      cwd: home,
      stdin: "null",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    const reading = child.stdout.pipeTo(new WritableStream());
    const registry = new Registry(child, reading, `http://127.0.0.1:${port}/`);
    await registry.#listens();
    return registry;
  }

  async #listens(): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      try {
        await (await fetch(`${this.url}-/ping`)).body?.cancel();
        return;
      } catch (error) {
        if (Date.now() > deadline) throw error;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#child.status;
    await this.#reading.catch(() => {});
  }
}

/** A port that nobody listens on. */
function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
