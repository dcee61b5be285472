/**
 * Answers of forges that are asked for again only as far as they are new, as long as the program runs: who watches, and a
 * server that is asked often, costs a forge next to nothing while nothing changes there.
 */

import type { System } from "../base/system/mod.ts";
import type { ForgeAnswer, ForgeRequest, ForgeTransport } from "./port.ts";

/** So much text of answers is kept at most, in characters. */
const MOST_KEPT = 32 * 1024 * 1024;

/** What a forge may mark an answer with: something that may stand in a header and in an argument. */
const MARK = /^(?:W\/)?"[\x21\x23-\x7e]{1,200}"$/;

interface Kept {
  readonly mark: string;
  readonly body: unknown;
  readonly size: number;
}

/** Answers with their marks, the oldest first to go. */
export class Answers {
  readonly #kept = new Map<string, Kept>();
  #size = 0;

  /** The answer to a question; undefined where there is none. */
  get(question: string): Kept | undefined {
    return this.#kept.get(question);
  }

  /** Keeps the newest answer to a question, and forgets the one before; one without a mark is not kept. */
  set(question: string, { status, headers, body }: ForgeAnswer): void {
    this.#size -= this.#kept.get(question)?.size ?? 0;
    this.#kept.delete(question);
    const mark = headers.get("etag") ?? "";
    if (status !== 200 || !MARK.test(mark)) return;
    const size = JSON.stringify(body).length;
    this.#kept.set(question, { mark, body, size });
    this.#size += size;
    for (const [oldest, { size }] of this.#kept) {
      if (this.#size <= MOST_KEPT) return;
      this.#kept.delete(oldest);
      this.#size -= size;
    }
  }
}

const ANSWERS = new WeakMap<System["env"], Answers>();

/** The answers that this process has had. */
export function answersOf(env: System["env"]): Answers {
  const known = ANSWERS.get(env) ?? new Answers();
  ANSWERS.set(env, known);
  return known;
}

/** A way to a forge on which an answer that is at hand is not sent again. */
export class Remembering implements ForgeTransport {
  readonly #way: ForgeTransport;
  readonly #answers: Answers;
  readonly #site: string;

  constructor(way: ForgeTransport, answers: Answers, site: string) {
    this.#way = way;
    this.#answers = answers;
    this.#site = site;
  }

  async call(request: ForgeRequest): Promise<ForgeAnswer> {
    if (request.method !== "GET") return await this.#way.call(request);
    const question = `${this.#site} ${request.path}`;
    const kept = this.#answers.get(question);
    const answer = await this.#way.call(
      kept === undefined ? request : { ...request, known: kept.mark },
    );
    if (answer.status === 304 && kept !== undefined) {
      return { status: 200, headers: answer.headers, body: kept.body };
    }
    this.#answers.set(question, answer);
    return answer;
  }
}
