/**
 * Signing in to the pages of a server, as a person does.
 *
 * @module
 */

import type { Answered, Asking, ServerOf } from "./server.ts";
import { Typist } from "./terminal.ts";
import type { World } from "./world.ts";

/** A link that signs in to the server of a world, once. */
export async function linkFor(world: World): Promise<string> {
  const typist = await Typist.start(world, ["server", "open", "--print"]);
  const { code, stdout, screen } = await typist.ends();
  const [link] = /http:\S+/.exec(stdout) ?? [];
  if (code !== 0 || link === undefined) throw new Error(`No link but "${screen}${stdout}"`);
  return link;
}

/** A person who is signed in to the server of a world, without a browser. */
export class Visitor {
  readonly #server: ServerOf;
  readonly #cookie: string;

  private constructor(server: ServerOf, cookie: string) {
    this.#server = server;
    this.#cookie = cookie;
  }

  /** Signs in with a link. */
  static async signIn(world: World, server: ServerOf): Promise<Visitor> {
    const link = await linkFor(world);
    const { headers } = await server.ask(link.slice(link.indexOf("/sign-in")), { token: null });
    return new Visitor(server, (headers.get("set-cookie") ?? "").split(";")[0] ?? "");
  }

  #ask(path: string, asking: Asking): Promise<Answered> {
    return this.#server.ask(path, {
      ...asking,
      token: null,
      host: `localhost:${this.#server.port}`,
      headers: { cookie: this.#cookie, accept: "text/html", ...asking.headers },
    });
  }

  /** Opens a page. */
  opens(path: string): Promise<Answered> {
    return this.#ask(path, {});
  }

  /** Sends a form; with the `csrf` of the page unless it says another one. */
  async sends(path: string, fields: Readonly<Record<string, string>> = {}): Promise<Answered> {
    const csrf = fields["csrf"] ?? await this.csrf();
    return await this.#ask(path, {
      method: "POST",
      origin: `http://localhost:${this.#server.port}`,
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: String(new URLSearchParams({ ...fields, csrf })),
    });
  }

  /** What the pages of this session send along. */
  async csrf(): Promise<string> {
    const { body } = await this.opens("/approvals");
    return /name="csrf" content="([0-9a-f]{64})"/.exec(body)?.[1] ?? "";
  }
}
