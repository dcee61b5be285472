/** Writes entries of an index as they are, whatever the files beside it hold. */

import { join } from "@std/path";
import type { Runner } from "../call/runner.ts";
import { bytesOf } from "../odd_names.ts";
import { removeEmpty } from "./disk.ts";
import { type IndexEntry, isPlain } from "./view.ts";

/** What a path of the index becomes. */
interface Indexed {
  readonly path: string;
  readonly entry: IndexEntry;
}

/** The lines that `git update-index --index-info -z` takes for one path; `like` is any object of the repository. */
function indexLines({ path, entry }: Indexed, like: string): string[] {
  const none = `0 ${"0".repeat(like.length)}\t${path}\0`;
  if (entry === null || entry === "intent_to_add") return [none];
  if (isPlain(entry)) return [none, `${entry.mode} ${entry.oid} 0\t${path}\0`];
  return [none, ...entry.map(({ mode, oid, stage }) => `${mode} ${oid} ${stage}\t${path}\0`)];
}

/** Announces paths to the index; a path without a file gets one for as long as that takes. One process. */
async function announce(git: Runner, paths: readonly string[]): Promise<void> {
  const { directory: root, name: repo, system } = git;
  const { files } = system;
  const lent: string[] = [];
  for (const name of paths) {
    if (await files.lstat(join(root, name)) !== null) continue;
    await files.create(join(root, name), "");
    lent.push(name);
  }
  try {
    await git.must(
      [
        "--literal-pathspecs",
        "add",
        "--intent-to-add",
        "--force",
        "--pathspec-from-file=-",
        "--pathspec-file-nul",
      ],
      { access: "internal", stdin: bytesOf(paths.map((name) => `${name}\0`).join("")) },
      `restore the index of "${repo}"`,
    );
  } finally {
    for (const name of lent) {
      await files.remove(join(root, name));
      await removeEmpty(system, root, name);
    }
  }
}

/**
 * Writes entries of the index; `like` is any object of the repository. Git then knows nothing of their files, and looks
 * at what these hold: by what it remembers, a file of another length has changed, whatever filters make of it. At most
 * two processes.
 */
export async function writeIndex(
  git: Runner,
  like: string,
  entries: readonly Indexed[],
): Promise<void> {
  if (entries.length === 0) return;
  const lines = entries.flatMap((one) => indexLines(one, like));
  // Removals come first, because a file may take the place of a directory.
  const removals = lines.filter((line) => line.startsWith("0 "));
  await git.must(
    ["update-index", "-z", "--index-info"],
    {
      access: "internal",
      stdin: bytesOf(
        [...removals, ...lines.filter((line) => !line.startsWith("0 "))].join(""),
      ),
    },
    `restore the index of "${git.name}"`,
  );
  const announced = entries.filter(({ entry }) => entry === "intent_to_add");
  if (announced.length > 0) await announce(git, announced.map(({ path }) => path));
}
