/**
 * The server of a world, and requests to it in which a test says every header.
 *
 * @module
 */

import { join } from "@std/path";
import { request as httpRequest } from "node:http";
import type { World } from "./world.ts";

/** What a server answered. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** How a request is made. */
export interface Asking {
  readonly method?: string;
  /** The token of the server when absent; none with null. */
  readonly token?: string | null;
  readonly host?: string;
  readonly origin?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A server that runs for a test. */
export class ServerOf implements AsyncDisposable {
  readonly #world: World;
  #record: Record<string, unknown> = {};
  token = "";

  private constructor(world: World) {
    this.#world = world;
  }

  /** Starts the server of a world at a port, or at any that is free. */
  static async start(
    world: World,
    port = 0,
    env: Record<string, string> = {},
  ): Promise<ServerOf> {
    const ran = await world.amof(["server", "start", "--port", String(port), "--json"], { env });
    if (ran.code !== 0) throw new Error(ran.stdout + ran.stderr);
    const server = new ServerOf(world);
    await server.look();
    return server;
  }

  /** Reads record and token anew. */
  async look(): Promise<void> {
    const file = join(this.#world.control, ".amof", "server.pid");
    this.#record = JSON.parse(await Deno.readTextFile(file));
    this.token = (await Deno.readTextFile(this.tokenFile)).trim();
  }

  get pid(): number {
    return Number(this.#record["pid"]);
  }

  get port(): number {
    return Number(this.#record["port"]);
  }

  get tokenFile(): string {
    return String(this.#record["token_file"]);
  }

  /** Makes a request and reads all of its answer; unlike fetch it sends paths and headers as they are. */
  ask(path: string, asking: Asking = {}): Promise<Answered> {
    const { token = this.token, host, origin } = asking;
    const headers: Record<string, string> = {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(host === undefined ? {} : { host }),
      ...(origin === undefined ? {} : { origin }),
      ...asking.headers,
    };
    return new Promise((resolve, reject) => {
      const request = httpRequest({
        host: "127.0.0.1",
        port: this.port,
        path,
        method: asking.method ?? "GET",
        headers,
        agent: false,
      }, (response) => {
        let body = "";
        response.setEncoding("utf8");
        response.on("data", (part: string) => body += part);
        response.on("error", reject);
        response.on("end", () => {
          const given = new Headers();
          for (const [name, value] of Object.entries(response.headers)) {
            given.set(name, String(value));
          }
          resolve({ status: response.statusCode ?? 0, headers: given, body });
        });
      });
      request.on("error", reject);
      request.end(asking.body);
    });
  }

  /** The beginning of an answer, up to a word; then the client goes. A GET, or a POST with a body. */
  async beginning(
    path: string,
    headers: Readonly<Record<string, string>>,
    word: string,
    body?: unknown,
  ): Promise<string> {
    const stop = new AbortController();
    const response = await fetch(`http://127.0.0.1:${this.port}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { ...headers, authorization: `Bearer ${this.token}` },
      signal: stop.signal,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    let text = "";
    const decoder = new TextDecoder();
    const timer = setTimeout(() => stop.abort(), 20_000);
    try {
      for await (const part of response.body ?? []) {
        text += decoder.decode(part, { stream: true });
        if (text.includes(word) && text.endsWith("\n\n")) break;
      }
    } finally {
      clearTimeout(timer);
      stop.abort();
    }
    return text;
  }

  /** Waits until its process is gone. */
  async gone(): Promise<void> {
    for (let turn = 0; turn < 400; turn++) {
      try {
        Deno.kill(this.pid, "SIGCONT");
      } catch {
        return;
      }
      const stat = await Deno.readTextFile(`/proc/${this.pid}/stat`).catch(() => "");
      // Killed, and not collected yet by whoever adopted it.
      if (/\) [ZX] /.test(stat)) return;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    throw new Error(`Process ${this.pid} goes on`);
  }

  /** Stops it if it runs. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#world.amof(["server", "stop"]);
  }
}
