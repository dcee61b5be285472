/**
 * The official tools against the HTTP server itself, with nothing in between (MCP-13).
 *
 * The suite knows no tokens, so a module that its Node loads first puts the server's into every request it makes.
 *
 * @module
 */

import { join } from "@std/path";
import { FOLDER, type Ran, run, type Tools } from "./tools.ts";

/** Where a server listens, and what opens it. */
export interface Address {
  readonly port: number;
  readonly token: string;
}

/** Adds the token to what `fetch`, `http` and the package undici send; lies where that package is found. */
const PRELOADED = `
import http from "node:http";
import { syncBuiltinESMExports } from "node:module";
import { getGlobalDispatcher, setGlobalDispatcher } from "undici";
const value = "Bearer " + process.env.AMOF_CONFORMANCE_TOKEN;
const { request } = http;
http.request = (...args) => {
  const made = request(...args);
  if (!made.hasHeader("authorization")) made.setHeader("authorization", value);
  return made;
};
syncBuiltinESMExports();
const send = globalThis.fetch;
globalThis.fetch = (input, init = {}) => {
  const headers = new Headers(init.headers ?? (input instanceof Request ? input.headers : undefined));
  if (!headers.has("authorization")) headers.set("authorization", value);
  return send(input, { ...init, headers });
};
setGlobalDispatcher(getGlobalDispatcher().compose((dispatch) => (options, handler) => {
  const { headers } = options;
  const isList = Array.isArray(headers);
  const names = isList ? headers.filter((_, at) => at % 2 === 0) : Object.keys(headers ?? {});
  if (names.some((name) => String(name).toLowerCase() === "authorization")) {
    return dispatch(options, handler);
  }
  const more = isList ? [...headers, "authorization", value] : { ...headers, authorization: value };
  return dispatch({ ...options, headers: more }, handler);
}));
`;

/** Lets the suite loose on a server. */
export async function conformDirectly(
  tools: Tools,
  { port, token }: Address,
  argv: readonly string[],
): Promise<{ readonly code: number; readonly text: string }> {
  const preloaded = join(FOLDER, "with_token.mjs");
  await Deno.writeTextFile(preloaded, PRELOADED);
  const [node = "", ...suite] = tools.conformance;
  const ran = await run([
    ...[node, "--import", preloaded, ...suite],
    ...["server", "--url", `http://127.0.0.1:${port}/mcp`],
    ...argv,
  ], { env: { AMOF_CONFORMANCE_TOKEN: token } });
  return { code: ran.code, text: `${ran.stdout}\n${ran.stderr}` };
}

/** Lets the inspector ask a server one thing. */
export async function inspectDirectly(
  tools: Tools,
  { port, token }: Address,
  words: readonly string[],
): Promise<Ran> {
  return await run([
    ...[...tools.inspector, "--cli", "-q", "--format", "json", ...words],
    ...["--transport", "http", "--server-url", `http://127.0.0.1:${port}/mcp`],
    ...["--header", `Authorization: Bearer ${token}`],
  ]);
}

/** A server of fixtures, which ends with this. */
export class FixtureServer implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly address: Address;

  private constructor(child: Deno.ChildProcess, address: Address) {
    this.#child = child;
    this.address = address;
  }

  /** Starts a program that prints its address as one line of JSON. */
  static async start(argv: readonly string[]): Promise<FixtureServer> {
    const [command = "", ...args] = argv;
    const child = new Deno.Command(command, {
      args,
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    })
      .spawn();
    let text = "";
    for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) {
      text += part;
      if (text.includes("\n")) break;
    }
    return new FixtureServer(child, JSON.parse(text) as Address);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#child.status;
  }
}
