/** What the operations of the service have in common. */

import { listOf, type Page, pageOf, present, read, rows, wholeList } from "./oddities.ts";
import type { Answer, ChangeOutcome, Operation, Transport } from "./transport.ts";

/** A name as a part of a path, encoded; null for one that a URL cannot hold as that. */
export function segment(name: string): string | null {
  return /^\.{0,2}$/.test(name) ? null : encodeURIComponent(name);
}

/** A reader of records: null for what is none. */
type Reader<T> = (row: unknown) => T | null;

/** What operations are made of: reads and changes over a transport, with records read out of the answers. */
export class Service {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Records of a read with a filter. */
  async list<T>(operation: Operation, record: Reader<T>): Promise<readonly T[]> {
    const answer = await this.#transport.read(operation);
    return listOf(answer, () => this.#transport.json(operation, answer), record);
  }

  /** Records of a read without one. */
  async all<T>(operation: Operation, record: Reader<T>): Promise<readonly T[]> {
    const answer = await this.#transport.read(operation);
    return wholeList(
      operation.what,
      answer,
      () => this.#transport.json(operation, answer),
      record,
    );
  }

  /** A page of records; with `list404` a 404 is no empty page. */
  async page<T>(operation: Operation, record: Reader<T>, size: number): Promise<Page<T>> {
    const answer = await this.#transport.read(operation);
    const value = answer.status === 404 ? [] : this.#transport.json(operation, answer);
    return pageOf(read(value, record), rows(value).length, size);
  }

  /** What a read answers that is no list. */
  async value(operation: Operation): Promise<unknown> {
    const answer = await this.#transport.read(operation);
    if (answer.status === 404) return wholeList(operation.what, answer, () => null, () => null);
    return this.#transport.json(operation, answer);
  }

  /** A change, with what `show` finds in the answer. */
  async change<T>(
    operation: Operation,
    show: (value: unknown) => T | null,
  ): Promise<ChangeOutcome<T>> {
    const sent = operation.body === undefined
      ? operation
      : { ...operation, body: present(operation.body) };
    const outcome = await this.#transport.change(sent);
    if (outcome.state !== "done") return outcome;
    return { state: "done", value: outcome.value === null ? null : show(lenient(outcome.value)) };
  }
}

/** The body of an answer that counts as given whatever is in it. */
function lenient({ body }: Answer): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

/** Shows the first record of an answer. */
export function first<T>(record: Reader<T>): (value: unknown) => T | null {
  return (value) => read(value, record)[0] ?? null;
}

/** Shows nothing of an answer. */
export const nothing = (): null => null;
