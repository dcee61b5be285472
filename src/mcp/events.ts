/**
 * What was sent to a client over HTTP, for one that lost its stream and comes back (MCP-13).
 *
 * @module
 */

import type { JSONRPCMessage } from "./sdk.ts";
import type { EventStore } from "./sdk_http.ts";

/** So many messages are kept, and so many characters of them; the oldest go first. */
const MAX_EVENTS = 1_000;
const MAX_CHARACTERS = 4_000_000;

interface Event {
  readonly stream: string;
  readonly id: string;
  readonly message: JSONRPCMessage;
  readonly size: number;
}

/** The newest messages of one session. */
export class Events implements EventStore {
  readonly #events: Event[] = [];
  #size = 0;
  #last = 0;

  /** Keeps a message; answers its id. */
  storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    const id = `${stream}_${++this.#last}`;
    const size = JSON.stringify(message).length;
    this.#events.push({ stream, id, message, size });
    this.#size += size;
    while (this.#events.length > MAX_EVENTS || this.#size > MAX_CHARACTERS) {
      this.#size -= this.#events.shift()?.size ?? 0;
    }
    return Promise.resolve(id);
  }

  /** The stream of a message that is still kept. */
  getStreamIdForEventId(id: string): Promise<string | undefined> {
    return Promise.resolve(this.#events.find((event) => event.id === id)?.stream);
  }

  /** Sends what came behind a message on its stream, and on no other. */
  async replayEventsAfter(
    id: string,
    { send }: { send: (id: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const at = this.#events.findIndex((event) => event.id === id);
    const stream = this.#events[at]?.stream ?? "";
    for (const event of at < 0 ? [] : this.#events.slice(at + 1)) {
      if (event.stream === stream) await send(event.id, event.message);
    }
    return stream;
  }
}
