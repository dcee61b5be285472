/**
 * What jj, which may work in a clone beside git, has of its own there, as its files say: no jj is started.
 *
 * Under `refs/jj/keep` it keeps every commit that it ever made, what was rewritten too, so that git does not remove them (WORKSPACE-32).
 * Which of them are work of today its view of the repository says: a message of Protocol Buffers, of which one field is
 * read.
 */

import { join } from "@std/path";
import type { System } from "../../base/system/mod.ts";

/** Whether jj works in a clone beside git. No process. */
export async function hasJj({ files }: System, clone: string): Promise<boolean> {
  return await files.lstat(join(clone, ".jj")) !== null;
}

/** The values of the first field of a message, each a string of bytes; null for what is no message. */
export function firstField(message: Uint8Array): Uint8Array[] | null {
  const values: Uint8Array[] = [];
  let at = 0;
  const number = (): number | null => {
    let value = 0;
    for (let factor = 1; at < message.length; factor *= 128) {
      const byte = message[at++] ?? 0;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
    return null;
  };
  while (at < message.length) {
    const tag = number();
    const length = tag === null ? null : number();
    if (tag === null || length === null) return null;
    // What is no string of bytes is a number, which has been read as the length.
    if ((tag & 7) === 0) continue;
    if ((tag & 7) !== 2 || at + length > message.length) return null;
    if (tag >> 3 === 1) values.push(message.subarray(at, at + length));
    at += length;
  }
  return values;
}

function hex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The commits at which the work of jj in a clone ends today; null where its files do not say it. No process. */
export async function jjHeads({ files }: System, clone: string): Promise<string[] | null> {
  const repo = join(clone, ".jj", "repo");
  const field = async (...parts: string[]) => {
    const bytes = await files.readBytes(join(repo, ...parts));
    return bytes === null ? null : firstField(bytes);
  };
  const operations = (await files.list(join(repo, "op_heads", "heads"))).map(({ name }) => name);
  const heads = new Set<string>();
  for (const operation of operations) {
    const [view] = await field("op_store", "operations", operation) ?? [];
    const found = view === undefined ? null : await field("op_store", "views", hex(view));
    if (found === null) return null;
    // The root of all is no commit of git.
    for (const head of found.map(hex)) if (/[1-9a-f]/.test(head)) heads.add(head);
  }
  return operations.length === 0 ? null : [...heads];
}
