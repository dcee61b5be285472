/** What undoing could bring back of a deed, as a sentence (UNDO-7). */

import { isObject } from "../base/object.ts";

/**
 * The outlook as a sentence for readers; null where it is not known, and where what is irreversible has been said and
 * nothing is to be added.
 */
export function outlookLine(
  { undo, irreversible }: { readonly undo?: unknown; readonly irreversible?: unknown },
): string | null {
  if (!isObject(undo)) return null;
  const { brings_back: back, cannot } = undo;
  const stays = typeof cannot === "string" ? cannot : null;
  if (typeof back === "string") {
    return closed(`Undo will bring back ${back}${stays === null ? "" : `; not ${stays}`}`);
  }
  if (irreversible !== undefined && !stays?.includes(";")) return null;
  return closed(`Undo cannot take back ${stays ?? "this"}`);
}

/** A sentence with its full stop, but behind a command line, with which it would be copied. */
function closed(sentence: string): string {
  return /: amof [^;,]*$/.test(sentence) ? sentence : `${sentence}.`;
}
