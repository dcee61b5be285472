/**
 * A pseudo-terminal of the `script` program of util-linux or BSD, with a shell line that runs at it.
 *
 * @module
 */

import type { World } from "./world.ts";

/** Where a program starts, and with which variables. */
export interface StartOptions {
  readonly cwd?: string;
  readonly env?: Record<string, string>;
}

/** A word of a shell line. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** What runs at a pseudo-terminal. What it writes goes to `onBytes`; the text of all of it is kept. */
export class PseudoTerminal {
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #reading: Promise<void>;
  readonly #errors: Promise<string>;
  readonly #onBytes: (bytes: Uint8Array) => Promise<void>;
  #text = "";
  #changed: (() => void) | null = null;

  /** Runs a shell line, in the control repository unless told otherwise. */
  constructor(
    world: Pick<World, "spawn">,
    line: string,
    { cwd, env }: StartOptions,
    onBytes: (bytes: Uint8Array) => Promise<void> = () => Promise.resolve(),
  ) {
    const vector = Deno.build.os === "darwin"
      ? ["-q", "/dev/null", "sh", "-c", line]
      : ["--quiet", "--flush", "--return", "--command", line, "/dev/null"];
    this.#onBytes = onBytes;
    this.#child = world.spawn("script", vector, {
      ...(cwd === undefined ? {} : { cwd }),
      env: { SHELL: "/bin/sh", ...env },
      stdin: true,
    });
    this.#writer = this.#child.stdin.getWriter();
    this.#reading = this.#read();
    this.#errors = new Response(this.#child.stderr).text();
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const bytes of this.#child.stdout) {
      this.#text += decoder.decode(bytes, { stream: true });
      await this.#onBytes(bytes);
      this.#changed?.();
    }
    this.#changed?.();
  }

  /** Everything that was written, with the sequences that move the cursor. */
  get text(): string {
    return this.#text;
  }

  /** Types characters. */
  async types(text: string): Promise<void> {
    await this.#writer.write(new TextEncoder().encode(text));
  }

  /** Waits until what was written makes something true; throws an error with the words of `failure` when it does not within `ms`. */
  async until(isTrue: () => boolean, ms: number, failure: () => string): Promise<void> {
    const deadline = Date.now() + ms;
    while (!isTrue()) {
      const left = deadline - Date.now();
      if (left <= 0) throw new Error(failure());
      let timer: ReturnType<typeof setTimeout> | undefined;
      await Promise.race([
        new Promise<void>((resolve) => this.#changed = resolve),
        new Promise<void>((resolve) => timer = setTimeout(resolve, left)),
      ]);
      clearTimeout(timer);
    }
  }

  /** Waits until the line has ended; answers its exit code. Kills it and throws when it does not within `ms`. */
  async ends(ms: number, failure: () => string): Promise<number> {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      this.#child.kill("SIGKILL");
    }, ms);
    const { code } = await this.#child.status;
    clearTimeout(timer);
    await this.#writer.close().catch(() => {});
    await this.#reading;
    await this.#errors;
    if (late) throw new Error(failure());
    return code;
  }
}
