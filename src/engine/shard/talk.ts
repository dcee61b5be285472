/**
 * What git and a host say to each other over HTTP: git keeps to itself for how long a host asks to be left alone
 * (`Retry-After`), so that it is read from what git writes of the talk when it is told to (`GIT_TRACE_CURL`).
 */

import type { Clock, Files } from "../../base/system/mod.ts";

/** What was said. */
export interface Talk {
  /** How many requests git made. */
  readonly requests: number;
  /** For how long the host asks to be left alone, in milliseconds; null where it does not say that. */
  readonly retryAfterMs: number | null;
}

/** More of what git writes is not read. */
const MOST = 4 * 1024 * 1024;

const REQUEST = /=> Send header: (?:GET|POST|HEAD) /;
const RETRY_AFTER = /<= Recv header: retry-after: *(.{1,60}?)\s*$/i;

/** The wait that a header asks for, in milliseconds: seconds, or a date. Null for anything else. */
function waitOf(value: string, now: number): number | null {
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

/** Reads what git wrote of a talk. */
export function talkIn(text: string, now: number): Talk {
  let requests = 0;
  let retryAfterMs: number | null = null;
  for (const line of text.split("\n")) {
    if (REQUEST.test(line)) requests++;
    const value = RETRY_AFTER.exec(line)?.[1];
    if (value !== undefined) retryAfterMs = waitOf(value, now) ?? retryAfterMs;
  }
  return { requests, retryAfterMs };
}

/** What was said until now, of the file of `overheard` of git; null where nobody spoke over HTTP. */
export async function heard(
  { files, clock }: { readonly files: Files; readonly clock: Clock },
  file: string,
): Promise<Talk | null> {
  const bytes = await files.readPiece(file, 0, MOST);
  return bytes === null ? null : talkIn(new TextDecoder().decode(bytes), clock.now());
}
