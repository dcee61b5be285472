/**
 * The log of a run as it goes on: what the server streams is added line by line, as text.
 *
 * @module
 */

/// <reference no-default-lib="true" />
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/// <reference lib="esnext" />

/** Begins to follow the log of this page, if it has one that goes on. */
export function followLog(): void {
}
