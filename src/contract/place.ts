/** Where a session stands (SESSION-1): places, what holds what, and what a command may do to its session. */

import type { Mode } from "../base/policy/mode.ts";

/** The places a session can stand in. */
export type ScopeName = "global" | "ecosystem" | "run" | "release" | "server";

/** A place: the scope and what it is about. */
export interface Place {
  readonly scope: ScopeName;
  readonly ecosystem: string | null;
  /** The ticket in whose own workspace it is; null for the base workspace. */
  readonly ticket: string | null;
  readonly runId: string | null;
  readonly releaseTag: string | null;
}

/** Where a session stands that is about no ecosystem. */
const GLOBAL: Place = {
  scope: "global",
  ecosystem: null,
  ticket: null,
  runId: null,
  releaseTag: null,
};

/** The place of an ecosystem, or of one of its tickets with a workspace; the global one for an empty name. */
export function placeIn(ecosystem: string, ticket: string | null = null): Place {
  return ecosystem === "" ? GLOBAL : { ...GLOBAL, scope: "ecosystem", ecosystem, ticket };
}

/**
 * Whether a place holds another one: an ecosystem its runs and releases, a ticket its runs. A ticket is not held by its
 * ecosystem: who asks about that has not left the ticket; and who asks about all ecosystems has not left theirs.
 */
export function contains(outer: Place, inner: Place): boolean {
  return outer.scope === "ecosystem" && outer.ecosystem === inner.ecosystem &&
    outer.ticket === inner.ticket && (inner.scope === "run" || inner.scope === "release");
}

/** The path to a place, outermost first (SESSION-3). */
export function breadcrumb(place: Place): string {
  return [
    "global",
    ...(place.ecosystem === null ? [] : [place.ecosystem]),
    ...(place.ticket === null ? [] : [place.ticket]),
    ...(place.scope === "server" ? ["server"] : []),
    ...(place.runId === null ? [] : [`run:${place.runId.slice(0, 8)}`]),
    ...(place.scope === "release" && place.releaseTag === null ? ["release"] : []),
    ...(place.releaseTag === null ? [] : [`release:${place.releaseTag}`]),
  ].join(" > ");
}

/** The innermost name only, as the text answers print it: `[demo]`, `[demo > run:4e8c1d72]`. */
export function shortBreadcrumb(place: Place): string {
  const parts = breadcrumb(place).split(" > ");
  if (place.runId !== null || place.ticket !== null) {
    return parts.slice(-2).filter((part) => part !== "global").join(" > ");
  }
  return parts[parts.length - 1] ?? "global";
}

/** The ticket that a session cannot leave, because its server was started for it (SCOPE-4). */
export interface Bound {
  readonly ecosystem: string;
  readonly ticket: string;
}

/** A session as commands see it. */
export interface SessionView {
  /** Whether later calls find it as this one leaves it. */
  readonly lasts: boolean;
  /** What it is bound to; null for most. */
  readonly bound: Bound | null;
  /** Its mode; a call may name another one. */
  readonly mode: Mode;
  /** The highest mode it may ever use. */
  readonly maxMode: Mode;
  readonly place: Place;
}

/** A session as those commands see it that change where it stands. */
export interface SessionControl extends SessionView {
  mode: Mode;
  /** The path to its place: `global > demo > run:4e8c1d72`. */
  readonly breadcrumb: string;
  /** Whether there is a place to go back to. */
  readonly canGoBack: boolean;
  /** Goes to another place and remembers this one. */
  enter(place: Partial<Place> & { readonly scope: ScopeName }): void;
  /** Goes back one place; false when there is none. */
  back(): boolean;
  /** Whether it stands where it began. */
  readonly isHome: boolean;
  /** Goes all the way back, to the global scope or the ecosystem that it began in, and forgets the history. */
  toGlobal(): void;
}
