/** Calls of an interface of a forge that must come to something. */

import { forgeError } from "./errors.ts";
import type { ForgeAnswer, ForgeRequest, ForgeTransport, Slug } from "./port.ts";

/** One repository at the end of a way. */
export class Rest {
  readonly slug: Slug;
  readonly #way: ForgeTransport;

  constructor(slug: Slug, way: ForgeTransport) {
    this.slug = slug;
    this.#way = way;
  }

  /** Whatever is answered. */
  ask(request: ForgeRequest): Promise<ForgeAnswer> {
    return this.#way.call(request);
  }

  /** The body of an answer that is no refusal; else throws `forge_failed`, in words about `what` was tried. */
  async must(what: string, request: ForgeRequest): Promise<unknown> {
    const answer = await this.ask(request);
    if (answer.status >= 300) throw forgeError(answer, what, this.slug);
    return answer.body;
  }

  /** What is at a path. */
  get(path: string, what = "read pull requests"): Promise<unknown> {
    return this.must(what, { method: "GET", path });
  }

  /** What is at a path, or null where there is nothing that one may see. */
  async peek(path: string): Promise<unknown> {
    const answer = await this.ask({ method: "GET", path });
    if (answer.status === 404 || answer.status === 403) return null;
    if (answer.status >= 300) throw forgeError(answer, "read pull requests", this.slug);
    return answer.body;
  }
}
