/**
 * Serves one client, each of whose messages shows which revision it is of. Those of the modern one are answered
 * here. All others go to a connection with a session, which is loaded for the first of them (MCP-1, MCP-17).
 *
 * One message per line; malformed and oversized lines are answered, and the end of input is noticed (MCP-2,
 * MCP-4).
 */

import { isObject } from "../../base/object.ts";
import type { System } from "../../base/system/mod.ts";
import type { Connection } from "./connection.ts";
import type { Served } from "./features.ts";
import {
  errorAnswer,
  type Id,
  inUse,
  INVALID_REQUEST,
  isModern,
  readMessage,
  usableId,
  type Wire,
} from "./messages.ts";
import { Modern } from "./modern.ts";

/** A longer line is refused. */
export const MAX_LINE_BYTES = 10 * 1024 * 1024;

/** Cuts what comes in pieces into lines. */
class LineCutter {
  #parts: Uint8Array[] = [];
  #size = 0;

  /**
   * The lines that a piece ends, without their ends and without empty ones; null for one that is longer than
   * {@linkcode MAX_LINE_BYTES}.
   */
  feed(piece: Uint8Array): (Uint8Array | null)[] {
    const lines: (Uint8Array | null)[] = [];
    let rest = piece;
    for (let at = rest.indexOf(10); at >= 0; at = rest.indexOf(10)) {
      this.#keep(rest.subarray(0, at));
      lines.push(...this.end());
      rest = rest.subarray(at + 1);
    }
    this.#keep(rest);
    return lines;
  }

  /** What is left: a last line without its newline still counts. */
  end(): (Uint8Array | null)[] {
    if (this.#size === 0) return [];
    const line = this.#size > MAX_LINE_BYTES ? null : joined(this.#parts, this.#size);
    this.#parts = [];
    this.#size = 0;
    return [line];
  }

  #keep(bytes: Uint8Array): void {
    this.#size += bytes.length;
    if (this.#size > MAX_LINE_BYTES) this.#parts = [];
    else if (bytes.length > 0) this.#parts.push(bytes);
  }
}

function joined(parts: readonly Uint8Array[], size: number): Uint8Array {
  if (parts.length === 1 && parts[0] !== undefined) return parts[0];
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** How long calls in flight may take to be answered after the input has ended. */
const LAST_ANSWERS_MS = 1_000;
/** How long those that were not may take to reach a safe point. */
const WIND_DOWN_MS = 2_000;

/** Takes a byte order mark away, and refuses what is no UTF-8 instead of changing it. */
const DECODER = new TextDecoder("utf-8", { fatal: true });

/** Codes of JSON-RPC 2.0. */
const PARSE_ERROR = -32700;

class Serving {
  readonly #system: System;
  readonly #served: Served;
  readonly #wire: Wire;
  readonly #modern: Modern;
  /** The modern requests that are neither answered nor cancelled. */
  readonly #open = new Map<Id, AbortController>();
  readonly #working = new Set<Promise<unknown>>();
  /** What is being loaded for a client with a session; null as long as there is none. */
  #loading: Promise<void> | null = null;
  #connection: Connection | null = null;
  /** What came for it while it was being loaded. */
  readonly #early: unknown[] = [];
  readonly #over = Promise.withResolvers<void>();
  #isOver = false;

  constructor(system: System, served: Served, wire: Wire) {
    this.#system = system;
    this.#served = served;
    this.#wire = wire;
    this.#modern = new Modern(system, served.modern);
  }

  #write(message: unknown, about?: Id): void {
    if (this.#isOver) return;
    try {
      this.#wire.out(`${JSON.stringify(message)}\n`, about);
    } catch {
      // The client stopped reading: there is nobody left to serve.
      this.#end();
    }
  }

  #end(): void {
    this.#isOver = true;
    this.#over.resolve();
  }

  #line(bytes: Uint8Array | null): void {
    if (bytes === null) {
      const why = `A message must not be longer than ${MAX_LINE_BYTES} bytes`;
      this.#write(errorAnswer(null, INVALID_REQUEST, why));
      return;
    }
    let value: unknown;
    try {
      const line = DECODER.decode(bytes).trim();
      if (line === "") return;
      value = JSON.parse(line);
    } catch {
      this.#write(errorAnswer(null, PARSE_ERROR, "The line is not valid JSON in UTF-8"));
      return;
    }
    this.#accept(value);
  }

  #accept(value: unknown): void {
    if (isModern(value)) return this.#one(value);
    const id = isObject(value) && "method" in value ? usableId(value["id"]) : null;
    if (id !== null && this.#open.has(id)) this.#write(inUse(id));
    else if (!this.#cancel(value)) this.#withSession(value);
  }

  /** Answers a message of the modern revision. */
  #one(value: unknown): void {
    const read = readMessage(value);
    if (read.kind === "wrong" && read.answer !== null) this.#write(read.answer);
    if (read.kind === "notification" && !this.#cancel(value)) {
      // Clients of this revision name it in what they cancel of a session, too.
      if (read.method === "notifications/cancelled") this.#connection?.accept(value);
    }
    if (read.kind !== "request") return;
    const { id } = read;
    if (this.#open.has(id) || this.#connection?.isOpen(id) === true) {
      this.#write(inUse(id));
      return;
    }
    const abort = new AbortController();
    this.#open.set(id, abort);
    const work = this.#modern.answer(read, {
      signal: abort.signal,
      tell: (method, params) => {
        if (!abort.signal.aborted) this.#write({ jsonrpc: "2.0", method, params }, id);
      },
    }).then((answer) => {
      if (!abort.signal.aborted) this.#write(answer);
      if (this.#open.get(id) === abort) this.#open.delete(id);
      this.#working.delete(work);
    });
    this.#working.add(work);
  }

  /** Cancels a modern request, which is never answered then; false for anything else. */
  #cancel(value: unknown): boolean {
    if (!isObject(value) || value["method"] !== "notifications/cancelled" || "id" in value) {
      return false;
    }
    const id = isObject(value["params"]) ? usableId(value["params"]["requestId"]) : null;
    const abort = id === null ? undefined : this.#open.get(id);
    if (id === null || abort === undefined) return false;
    this.#open.delete(id);
    abort.abort();
    return true;
  }

  /** Hands what the client sent to its session, in order. */
  #withSession(value: unknown): void {
    if (this.#connection !== null) {
      this.#connection.accept(value);
      return;
    }
    // Before the first request of a session a notification says nothing.
    if (this.#loading === null && readMessage(value).kind === "notification") return;
    this.#early.push(value);
    this.#loading ??= this.#load();
  }

  async #load(): Promise<void> {
    const { Connection } = await import("./connection.ts");
    const write = (message: unknown, about?: Id) => this.#write(message, about);
    const connection = await new Connection(this.#system, this.#served.session, write).begin();
    this.#connection = connection;
    for (const value of this.#early.splice(0)) connection.accept(value);
  }

  async #read(input: AsyncIterator<Uint8Array>): Promise<void> {
    const cutter = new LineCutter();
    try {
      while (!this.#isOver) {
        const { done, value } = await input.next();
        if (done === true || this.#isOver) break;
        for (const line of cutter.feed(value)) this.#line(line);
      }
      if (!this.#isOver) { for (const line of cutter.end()) this.#line(line); }
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#system.terminal.err(`${why}\n`);
    }
    await this.#loading;
    this.#connection?.inputEnded();
  }

  /** Serves until the input ends or somebody interrupts. */
  async serve(): Promise<void> {
    const { clock, terminal } = this.#system;
    const over = this.#over.promise;
    const stopListening = terminal.onInterrupt(() => this.#end());
    const input = this.#wire.input()[Symbol.asyncIterator]();
    await Promise.race([over, this.#read(input)]);
    // Requests from before the input ended are answered, unless that takes long.
    const answered = Promise.all([this.#connection?.answered(), ...this.#working]);
    await Promise.race([over, answered, clock.sleep(LAST_ANSWERS_MS)]);
    this.#end();
    // It waits for what is being read, which may never come.
    input.return?.().catch(() => {});
    stopListening();
    for (const abort of this.#open.values()) abort.abort();
    const woundDown = Promise.all([this.#connection?.close(), ...this.#working]);
    await Promise.race([woundDown, clock.sleep(WIND_DOWN_MS)]);
  }
}

/** Serves one client until its input ends: over standard input and output, or another wire. */
export async function serveFeatures(
  system: System,
  served: Served,
  wire: Wire = system.terminal,
): Promise<void> {
  await new Serving(system, served, wire).serve();
}
