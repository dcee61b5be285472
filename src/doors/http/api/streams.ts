/**
 * What the API tells as it happens: the log of a run, and which parts of what is stored have changed (SERVER-10,
 * SERVER-11). One part is made when the reader has taken the one before, so that a slow reader holds up nobody else and
 * nothing piles up.
 */

import type { App } from "../../../pipeline/app.ts";
import { AmofError } from "../../../base/error.ts";
import type { RunId } from "../../../base/ids.ts";
import { eventView, isFinal, settleIfGone } from "../../../runs/mod.ts";
import { type Store, STORED_PARTS } from "../../../state/store/mod.ts";
import type { Clock } from "../../../base/system/mod.ts";

/** How often is looked, while somebody waits. */
const LOOK_MS = 100;

/** Looks while somebody waits, and only then. */
export class Watcher {
  readonly #clock: Clock;
  readonly #mark: () => string;
  readonly #waiting = new Set<() => void>();
  #looking = false;

  /** `mark` answers what differs after every change. */
  constructor(clock: Clock, mark: () => string) {
    this.#clock = clock;
    this.#mark = mark;
  }

  /** What {@linkcode Watcher.after} waits for a difference to. */
  mark(): string {
    return this.#mark();
  }

  /** Resolves when the mark is not this one any more, when so many milliseconds have passed, and when a signal aborts. */
  async after(mark: string, ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#mark() !== mark) return;
    const over = new AbortController();
    const wake = () => over.abort();
    signal.addEventListener("abort", wake, { once: true });
    this.#waiting.add(wake);
    void this.#look(mark);
    try {
      await this.#clock.sleep(ms, over.signal);
    } finally {
      this.#waiting.delete(wake);
      signal.removeEventListener("abort", wake);
    }
  }

  async #look(since: string): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    let known = since;
    while (this.#waiting.size > 0) {
      await this.#clock.sleep(LOOK_MS);
      const now = this.#now() ?? known;
      if (now === known) continue;
      known = now;
      for (const wake of [...this.#waiting]) wake();
    }
    this.#looking = false;
  }

  /** The mark, or null while the database cannot be asked: whoever waits looks again before long. */
  #now(): string | null {
    try {
      return this.#mark();
    } catch {
      return null;
    }
  }
}

/** So often something is sent where nothing happens, in milliseconds: whoever is between would take the silence for an end. */
const HEARTBEAT_MS = 15_000;
/** What is sent then: a comment. */
const HEARTBEAT = ": still here\n\n";
/** How the stream of something that has ended closes. */
export const DONE = "data: [DONE]\n\n";

/** Tells browsers to come back soon after a break. */
const RETRY = "retry: 2000\n\n";

/** An event, in the form in which it is sent; `id` is where a reader that was cut off goes on. */
export function eventText(id: number | string, data: unknown): string {
  // JSON has no line ends outside of its strings, and none in them.
  return `id: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** The answer that sends parts as they are asked for, until there are no more, the reader is gone, or all ends. */
export function eventStream(
  parts: (signal: AbortSignal) => AsyncGenerator<string>,
  { ending, onEnd }: { readonly ending: AbortSignal; readonly onEnd: () => void },
): Response {
  const gone = new AbortController();
  const source = parts(AbortSignal.any([gone.signal, ending]));
  const encoder = new TextEncoder();
  let ended = false;
  const end = () => {
    if (!ended) onEnd();
    ended = true;
  };
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(RETRY));
    },
    async pull(controller) {
      try {
        const { value, done } = await source.next();
        if (gone.signal.aborted) return;
        if (!done) return controller.enqueue(encoder.encode(value));
        controller.close();
      } catch (error) {
        end();
        throw error;
      }
      end();
    },
    cancel() {
      gone.abort();
      end();
    },
  }, { highWaterMark: 0 });
  return new Response(body, {
    headers: { "content-type": "text/event-stream", "x-accel-buffering": "no" },
  });
}

/** With one more stream the next is refused. */
const MAX_STREAMS = 256;
/** So many events are read at once: what one reader has of the server's memory. */
const BATCH = 64;
/** How often is looked whether the process of a silent run is still there. */
const LIVENESS_MS = 2_000;

/** So many batches are kept for others who follow the same run. */
const MAX_BATCHES = 16;

/** Some events of a run as they are sent. */
interface Batch {
  readonly text: string;
  /** The number of the last of them; null without any. */
  readonly last: number | null;
  readonly full: boolean;
  /** What stood before they were read. */
  readonly mark: string;
}

/** Streams of one server. */
export class Streams {
  readonly #app: App;
  readonly #ending: AbortSignal;
  #open = 0;
  /** What all who hear of changes are told at this mark. */
  #parts: { readonly mark: string; readonly values: readonly string[] } = { mark: "", values: [] };
  #watcher: Promise<Watcher> | null = null;
  /** The batches that were read last, by run and where they begin: many followers are at the same place. */
  readonly #batches = new Map<string, Batch>();

  /** `ending` ends them all. */
  constructor(app: App, ending: AbortSignal) {
    this.#app = app;
    this.#ending = ending;
  }

  #watching(): Promise<Watcher> {
    this.#watcher ??= this.#app.store().then(
      (store) => new Watcher(this.#app.system.clock, () => store.marks.whole()),
    );
    return this.#watcher;
  }

  #stream(parts: (signal: AbortSignal) => AsyncGenerator<string>): Response {
    if (this.#open >= MAX_STREAMS) {
      throw new AmofError("state_busy", `Cannot serve more than ${MAX_STREAMS} streams at once`, {
        hint: "Close one, then repeat it",
      });
    }
    this.#open++;
    return eventStream(parts, { ending: this.#ending, onEnd: () => void this.#open-- });
  }

  /** The next events of a run, for the first who asks from the database; `mark` stood before they are read. */
  #batch(store: Store, runId: RunId, after: number, mark: string): Batch {
    const key = `${runId} ${after}`;
    const known = this.#batches.get(key);
    // A full one stays as it is; behind another there may be more as soon as anything has changed.
    if (known !== undefined && (known.full || known.mark === mark)) return known;
    const events = store.events.after(runId, after, BATCH);
    const batch = {
      text: events.map((event) => eventText(event.seq, eventView(event))).join(""),
      last: events.at(-1)?.seq ?? null,
      full: events.length === BATCH,
      mark,
    };
    this.#batches.delete(key);
    this.#batches.set(key, batch);
    const [oldest = ""] = this.#batches.keys();
    if (this.#batches.size > MAX_BATCHES) this.#batches.delete(oldest);
    return batch;
  }

  /** The events of a run behind one of them, until it has ended, whichever process works on it. */
  async ofRun(runId: RunId, after: number): Promise<Response> {
    const store = await this.#app.store();
    const watcher = await this.#watching();
    return this.#stream((signal) => this.#log({ store, watcher, runId, after, signal }));
  }

  async *#log({ store, watcher, runId, after, signal }: {
    readonly store: Store;
    readonly watcher: Watcher;
    readonly runId: RunId;
    readonly after: number;
    readonly signal: AbortSignal;
  }): AsyncGenerator<string> {
    const { system } = this.#app;
    let seen = after;
    let told = system.clock.now();
    while (!signal.aborted) {
      const mark = watcher.mark();
      // The record first: what was logged before it said "final" is then read for certain.
      const run = store.runs.get(runId);
      for (let full = true; full;) {
        const batch = this.#batch(store, runId, seen, mark);
        if (batch.last === null) break;
        ({ full } = batch);
        seen = batch.last;
        yield batch.text;
        told = system.clock.now();
        if (signal.aborted) return;
      }
      // A run that is gone was pruned, which only happens to those that have ended.
      if (run === null || isFinal(run.status)) {
        yield DONE;
        return;
      }
      await watcher.after(mark, LIVENESS_MS, signal);
      if (signal.aborted) return;
      if (watcher.mark() === mark) await settleIfGone(run, store, system);
      if (system.clock.now() - told < HEARTBEAT_MS) continue;
      yield HEARTBEAT;
      told = system.clock.now();
    }
  }

  /** Which parts have changed since a mark that was told before; from now on where there is none. */
  async ofChanges(since: string | null): Promise<Response> {
    const store = await this.#app.store();
    const watcher = await this.#watching();
    const parts = (mark: string) => {
      if (this.#parts.mark !== mark) {
        this.#parts = { mark, values: Object.values(store.marks.parts()) };
      }
      return this.#parts.values;
    };
    return this.#stream((signal) => changes({ parts, watcher, since, signal }));
  }
}

async function* changes({ parts, watcher, since, signal }: {
  readonly parts: (mark: string) => readonly string[];
  readonly watcher: Watcher;
  readonly since: string | null;
  readonly signal: AbortSignal;
}): AsyncGenerator<string> {
  let known = since?.split("-") ?? null;
  let first = true;
  while (!signal.aborted) {
    const mark = watcher.mark();
    const now = parts(mark);
    const before = known ?? now;
    const changed = STORED_PARTS.filter((_, at) => now[at] !== before[at]);
    // The first tells from where on changes are told.
    if (first || changed.length > 0) yield eventText(now.join("-"), { changed });
    first = false;
    known = [...now];
    await watcher.after(mark, HEARTBEAT_MS, signal);
    if (!signal.aborted && watcher.mark() === mark) yield HEARTBEAT;
  }
}
