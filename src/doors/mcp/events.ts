/** What was sent to a client over HTTP, for one that lost its stream and comes back (MCP-13). */

import type { JSONRPCMessage } from "./sdk.ts";
import type { EventStore } from "./sdk_http.ts";

/** So many messages are kept, and so many characters of them; the oldest go first. */
const MAX_EVENTS = 1_000;
const MAX_CHARACTERS = 4_000_000;

/** The requests that came in one and are not answered; once there is none, its stream has nothing more to bring. */
export type Open = Set<string | number>;

interface Event {
  readonly stream: string;
  readonly id: string;
  /** The requests of its stream; null where it belongs to none. */
  readonly requests: Open | null;
  readonly message: JSONRPCMessage;
  readonly size: number;
}

/** The newest messages of one session. */
export class Events implements EventStore {
  readonly #events: Event[] = [];
  readonly #requests: (message: JSONRPCMessage) => Open | null;
  #size = 0;
  #last = 0;

  /** `requests` says of a message to which it belongs. */
  constructor(requests: (message: JSONRPCMessage) => Open | null) {
    this.#requests = requests;
  }

  /** Keeps a message; answers its id. */
  storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    const id = `${stream}_${++this.#last}`;
    const size = JSON.stringify(message).length;
    this.#events.push({ stream, id, requests: this.#requests(message), message, size });
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
    for (const event of this.#after(id)) await send(event.id, event.message);
    return this.#events.find((event) => event.id === id)?.stream ?? "";
  }

  /** What came behind a message on a stream that brings nothing more; null where more may come, or nothing is known. */
  restOf(id: string): readonly Pick<Event, "id" | "message">[] | null {
    const found = this.#events.find((event) => event.id === id);
    const { requests = null } = found ?? {};
    return requests === null || requests.size > 0 ? null : this.#after(id);
  }

  #after(id: string): readonly Event[] {
    const at = this.#events.findIndex((event) => event.id === id);
    const stream = this.#events[at]?.stream;
    return at < 0 ? [] : this.#events.slice(at + 1).filter((event) => event.stream === stream);
  }
}
