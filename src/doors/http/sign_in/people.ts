/**
 * The persons who are signed in to a server's pages (SIGN-2). They are kept by this process alone: with the server
 * every session ends.
 */

import type { Ids } from "../../../base/system/mod.ts";
import { sha256 } from "../../../base/hash.ts";

/** A session ends so long after its beginning. */
const LIFETIME_MS = 12 * 60 * 60 * 1000;
/** With one more the oldest ends. */
const MOST = 20;

/** A person who is signed in. */
export interface PersonSession {
  /** Names the session in the audit log; opens nothing. */
  readonly id: string;
  /** What each form and each changing request of its pages brings along. */
  readonly csrf: string;
  /** Who made the link. */
  readonly user: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** The sessions of persons, by the hash of their cookie. */
export class People {
  readonly #ids: Ids;
  readonly #sessions = new Map<string, PersonSession>();

  constructor(ids: Ids) {
    this.#ids = ids;
  }

  /** Begins a session; answers the value of its cookie. */
  begin(user: string, now: number): { readonly cookie: string; readonly session: PersonSession } {
    const cookie = this.#ids.hex(64);
    const session = {
      id: `web_${this.#ids.hex(12)}`,
      csrf: this.#ids.hex(64),
      user,
      since: now,
    };
    this.#sessions.set(sha256(cookie), session);
    const [oldest = ""] = this.#sessions.keys();
    if (this.#sessions.size > MOST) this.#sessions.delete(oldest);
    return { cookie, session };
  }

  /** The session of a cookie, while it lasts. */
  find(cookie: string, now: number): PersonSession | null {
    const key = sha256(cookie);
    const session = this.#sessions.get(key);
    if (session === undefined) return null;
    if (now - session.since < LIFETIME_MS) return session;
    this.#sessions.delete(key);
    return null;
  }

  /** Ends a session. */
  end({ id }: PersonSession): void {
    for (const [key, session] of this.#sessions) {
      if (session.id === id) this.#sessions.delete(key);
    }
  }
}
