/**
 * Plans that are changed between the one who submits and the shards, as whoever can write where they lie could change
 * them.
 *
 * @module
 */

import { join } from "@std/path";
import {
  installationKey,
  type Plan,
  type PlanContent,
  type PlanKey,
  seal,
  type SealedPlan,
} from "../../src/engine/plan/plan.ts";
import { sha256 } from "../../src/base/hash.ts";
import { layoutOf } from "../../src/state/store/mod.ts";
import { realSystem } from "../../src/base/system/real/mod.ts";
import { newDirectory } from "../support/place.ts";
import type { World } from "../support/world.ts";

/** A moment that is over. */
export const LONG_AGO = "2001-01-01T00:00:00.000Z";

/** How a plan is changed, and what shards say of it. */
export interface Resealed {
  readonly why: string;
  /** Who signs it instead of the installation that submits it. */
  readonly key?: PlanKey;
  /** What is put into it before it is signed. */
  readonly change?: Partial<PlanContent>;
  /** The commits that its repositories are agreed to be at. */
  readonly commits?: Readonly<Record<string, string>>;
  /** A word that is put for another one behind its signature, with the hash that fits. */
  readonly forge?: readonly [string, string];
}

function keyOf(home: string): Promise<PlanKey> {
  const system = realSystem();
  const env = { ...system.env, get: (name: string) => name === "AMOF_HOME" ? home : undefined };
  return installationKey(system, layoutOf(env));
}

/** The key of an installation that nobody else has. */
export function newKey(): Promise<PlanKey> {
  return keyOf(newDirectory());
}

function forged({ text, key }: SealedPlan, [from, to]: readonly [string, string]): SealedPlan {
  const other = text.replace(from, to);
  if (other === text) throw new Error(`Cannot find ${from} in the plan`);
  return { text: other, sha256: sha256(other), key };
}

/**
 * Changes the plan of the only submission of a world, which no engine has heard of yet. Shards are told its new hash, and
 * the key of the installation that submits. Answers its run.
 */
export async function resealed(
  world: World,
  { key, change, commits = {}, forge }: Resealed,
): Promise<string> {
  const home = world.env["AMOF_HOME"] ?? "";
  const engine = join(home, "state", "engine");
  const names = (await Array.fromAsync(Deno.readDir(engine))).map(({ name }) => name);
  if (names.length !== 1) throw new Error(`There are ${names.length} submissions`);
  const run = names[0] ?? "";
  const [plan, record] = ["plan.json", "submission.json"].map((name) => join(engine, run, name));
  const { signature: _none, key: _own, ...content } = JSON.parse(
    await Deno.readTextFile(plan ?? ""),
  ) as Plan;
  const items = content.items.map((item) => ({
    ...item,
    commit: commits[item.repo] ?? item.commit,
  }));
  const again = seal({ ...content, ...change, items }, key ?? await keyOf(home));
  const sealed = forge === undefined ? again : forged(again, forge);
  await Deno.writeTextFile(plan ?? "", sealed.text);
  const was = JSON.parse(await Deno.readTextFile(record ?? ""));
  await Deno.writeTextFile(record ?? "", JSON.stringify({ ...was, sha256: sealed.sha256 }));
  return run;
}
