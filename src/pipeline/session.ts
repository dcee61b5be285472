/**
 * The session of a connection or a command line: where it stands, where it was, and its mode (SESSION-1, MODE-2).
 * In memory.
 */

import { type Mode, MODES } from "../base/policy/mode.ts";
import {
  type Bound,
  breadcrumb,
  type Place,
  placeIn,
  type ScopeName,
  type SessionControl,
} from "../contract/place.ts";

interface SessionOptions {
  readonly id: string;
  /** Who may spend the tokens made here. */
  readonly owner: string;
  readonly mode: Mode;
  readonly maxMode: Mode;
  /** The ecosystem to begin in. */
  readonly ecosystem?: string | null;
  /** The ticket that it stands in and cannot leave. */
  readonly bound?: Bound | null;
  /** Whether later calls find it as this one leaves it; true when absent. */
  readonly lasts?: boolean;
}

/** A place, a history of places, and a mode below a cap. */
export class Session implements SessionControl {
  /** `sess_` and random characters, for the envelope. */
  readonly id: string;
  /** Who may spend the tokens that are made in it. */
  readonly owner: string;
  /** The highest mode it may ever use. */
  readonly maxMode: Mode;
  /** The ticket that it cannot leave; null for most. */
  readonly bound: Bound | null;
  /**
   * Whether later calls find it as this one leaves it. Who calls without such a session is known by its owner alone,
   * and names mode and place with each call.
   */
  readonly lasts: boolean;
  #mode: Mode;
  readonly #home: Place;
  #place: Place;
  #meant: Place | null = null;
  readonly #history: Place[] = [];

  constructor(options: SessionOptions) {
    this.id = options.id;
    this.owner = options.owner;
    this.maxMode = options.maxMode;
    this.#mode = options.mode;
    this.bound = options.bound ?? null;
    this.lasts = options.lasts ?? true;
    this.#home = this.#within(placeIn(options.ecosystem ?? ""));
    this.#place = this.#home;
  }

  /** The session's mode; a call may name another one. */
  get mode(): Mode {
    return this.#mode;
  }

  /** Changes the mode; the caller has checked the cap. */
  set mode(mode: Mode) {
    if (!MODES.includes(mode)) throw new RangeError(`Cannot set mode: "${mode}" is none`);
    this.#mode = mode;
  }

  /** Where the session stands. */
  get place(): Place {
    return this.#place;
  }

  /** The ecosystem or ticket that its calls were about last while it stands in none; null where they named none. */
  get meant(): Place | null {
    return this.#place.scope === "global" ? this.#meant : null;
  }

  /** Remembers what a call was about, which leads on from answers about the session itself. */
  remember(place: Place): void {
    if (place.ecosystem !== null) this.#meant = placeIn(place.ecosystem, place.ticket);
  }

  /** Whether it stands where it began. */
  get isHome(): boolean {
    return JSON.stringify(this.#place) === JSON.stringify(this.#home);
  }

  /** Whether there is a place to go back to. */
  get canGoBack(): boolean {
    return this.#history.length > 0;
  }

  /** Goes to another place and remembers this one; entering the same place again changes nothing. */
  enter(place: Partial<Place> & { readonly scope: ScopeName }): void {
    const ecosystem = place.ecosystem === undefined ? this.#place.ecosystem : place.ecosystem;
    const here = ecosystem === this.#place.ecosystem ? this.#place.ticket : null;
    const next = this.#within({
      scope: place.scope,
      ecosystem,
      ticket: place.ticket === undefined ? here : place.ticket,
      runId: place.runId ?? null,
      releaseTag: place.releaseTag ?? null,
    });
    if (JSON.stringify(next) === JSON.stringify(this.#place)) return;
    this.#history.push(this.#place);
    // A session that only ever moves on must not grow without bound.
    if (this.#history.length > 50) this.#history.shift();
    this.#place = next;
  }

  /** Goes out to a place that holds this one, which is the way back where the session came from there. */
  leaveFor(place: Place): void {
    const came = this.#history.findLastIndex((known) =>
      JSON.stringify(known) === JSON.stringify(place)
    );
    if (came < 0) return this.enter(place);
    this.#history.length = came;
    this.#place = this.#within(place);
  }

  /** A place as far as the session may go there: in the ticket that it is bound to. */
  #within(place: Place): Place {
    if (this.bound === null) return place;
    const { ecosystem, ticket } = this.bound;
    const run = place.scope === "run" && place.ecosystem === ecosystem;
    return { ...placeIn(ecosystem, ticket), ...(run ? { scope: "run", runId: place.runId } : {}) };
  }

  /** Goes back one place; false when there is none. */
  back(): boolean {
    this.#meant = null;
    const previous = this.#history.pop();
    if (previous === undefined) return false;
    this.#place = previous;
    return true;
  }

  /** Goes all the way back, to the global scope or the ecosystem that it began in, and forgets the history. */
  toGlobal(): void {
    this.#meant = null;
    this.#history.length = 0;
    this.#place = this.#home;
  }

  /** The path to this place: `global > demo > run:4e8c1d72`. */
  get breadcrumb(): string {
    return breadcrumb(this.#place);
  }
}
