/**
 * Runs a program in the clone of an item, makes one commit of what it changed, and sends it home in pieces: the action
 * `commit` (SHARD-7).
 */

import { Buffer } from "node:buffer";
import { AmofError } from "../../base/error.ts";
import { Git } from "../../git/mod.ts";
import { Bundles } from "../../git/write/mod.ts";
import { sha256 } from "../../base/hash.ts";
import { sha } from "../../base/ids.ts";
import { maskSecrets } from "../../base/text/mask.ts";
import { sizeText } from "../../base/text/words.ts";
import type { CommitAction } from "../plan/plan.ts";
import { runProgram } from "./exec.ts";
import type { Cloned, Ending, ItemContext } from "./item.ts";
import type { ShardChange } from "./line.ts";

/** Bytes of a piece: with what stands around it, its line is shorter than any may be. */
const PIECE = 2_400;

/** Runs the program and makes the commit; answers how both ended. */
export async function commitChanges(
  work: ItemContext,
  action: CommitAction,
  cloned: Cloned,
): Promise<Ending> {
  const ending = await runProgram(work, action, cloned);
  if (ending.state !== "ok") return ending;
  try {
    return { ...ending, change: await changeOf(work, action, cloned) };
  } catch (error) {
    // The program can leave a clone behind in which git cannot work any more.
    if (!(error instanceof AmofError)) throw error;
    return { ...ending, state: "failed", why: maskSecrets(error.message) };
  }
}

async function changeOf(
  { system, signal, scratch, judge, send }: ItemContext,
  { author, message, no_touch: noTouch, most_bytes: most }: CommitAction,
  { item, directory, commit: head }: Cloned,
): Promise<ShardChange> {
  if (head === null) return { made: "nothing" };
  const bundles = new Git(system, signal).at(directory, item.repo).part(Bundles);
  const parent = sha(head);
  const index = `${scratch}/${system.ids.hex(8)}.index`;
  const staged = await bundles.stage(parent, index).finally(() => system.files.remove(index));
  if (staged.changes.length === 0) return { made: "nothing" };
  const held = await judge(staged.changes, noTouch);
  if (held !== null) return { made: "held_back", why: held };
  const commit = await bundles.commit(staged.tree, { parent, author, message });
  const pack = await bundles.pack(staged, { commit, parent, most });
  if (pack === null) {
    return { made: "too_large", why: `its changes have more than ${sizeText(most)}` };
  }
  return { made: "commit", commit, sha256: sendHome(pack, send), bytes: pack.length };
}

/** Sends bytes home in pieces; answers the hash of the whole. */
export function sendHome(bytes: Uint8Array, send: ItemContext["send"]): string {
  const hash = sha256(bytes);
  const of = Math.ceil(bytes.length / PIECE);
  for (let n = 0; n < of; n++) {
    const data = Buffer.from(bytes.subarray(n * PIECE, (n + 1) * PIECE)).toString("base64");
    send({ sha256: hash, n, of, data });
  }
  return hash;
}
