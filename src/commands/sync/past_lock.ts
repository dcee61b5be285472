/** What a sync says of clones that leave the lock, and the two ways on from there (LOCK-3). */

import { join } from "@std/path";
import { count, few } from "../../base/text/words.ts";
import type { CommandContext } from "../../contract/mod.ts";
import type { Repo } from "../../workspace/manifest/mod.ts";

/** How many leave the lock, or have left it. */
export function leftLock(names: readonly string[], isDone: boolean): string {
  const repos = `${count(names.length, "repo")} ${isDone ? "left" : "can leave"} the lock`;
  return `${repos}: ${few(names, 3)}`;
}

/** A way on; a type alias, so that it counts as plain JSON. */
export type Remedy = {
  readonly what: string;
  /** The command, to paste. */
  readonly fix: string;
};

/** The ways on; `back` says how they go back: by one command, each by its own, or by none. */
export function waysFromLock(back: "install" | "each" | null, isDone: boolean): Remedy[] {
  const ways: Readonly<Record<"install" | "each", Remedy>> = {
    install: {
      what: `${isDone ? "Go" : "Or go"} back to the lock`,
      fix: "amof install --locked",
    },
    each: {
      what: `${isDone ? "See" : "Or see"} how each goes back to the lock`,
      fix: "amof lock --check",
    },
  };
  return [
    { what: `${isDone ? "Keep" : "Afterwards keep"} what is new`, fix: "amof lock" },
    ...(back === null ? [] : [ways[back]]),
  ];
}

/** The ways on as lines. */
export function remedyLines(ways: readonly Remedy[]): string[] {
  return ways.map(({ what, fix }) => `${what}: ${fix}`);
}

/** How clones go back to a lock: by none that lacks a repository; adopted ones are moved back by their owner alone. */
export async function backToLock(
  { system }: Pick<CommandContext, "system">,
  workspace: string,
  { repos, leaving, locked }: {
    readonly repos: readonly Repo[];
    readonly leaving: readonly string[];
    readonly locked: ReadonlyMap<string, unknown>;
  },
): Promise<"install" | "each" | null> {
  if (repos.some(({ name, enabled }) => enabled && !locked.has(name))) return null;
  const places = await Promise.all(
    repos.filter(({ name }) => leaving.includes(name))
      .map(({ path }) => system.files.lstat(join(workspace, path))),
  );
  return places.some((place) => place?.kind === "symlink") ? "each" : "install";
}
