/** Looks for files that have a name outside of a directory, too: whoever writes to them here writes there (BOX-2). */

import type { ProcessRequest, System } from "../../base/system/mod.ts";

/** More output of one look is not read. */
const MOST_BYTES = 64 * 1024 * 1024;
/** How many files are named. */
const NAMED = 5;

const LINKED = ["-xdev", "-type", "f", "-links", "+1"];
/** How `find` is told to name each with its inode and how many names that has: by GNU's, and by that of macOS. */
const TOLD = {
  gnu: [...LINKED, "-printf", "%D:%i %n %p\\0"],
  bsd: [...LINKED, "-exec", "stat", "-f", "%d:%i %l %N", "{}", "+"],
};

/** Whether a request is such a look, which changes nothing. */
export function isSharedFilesLook({ command, args }: ProcessRequest): boolean {
  const [directory = "", ...rest] = args;
  return command === "find" && directory.startsWith("/") &&
    [TOLD.gnu, TOLD.bsd].some((told) => told.join("\n") === rest.join("\n"));
}

/** Files below a directory that have names outside of it: how many, and some of them. */
interface SharedFiles {
  readonly count: number;
  readonly named: readonly string[];
}

/** Those in what `find` says, which names each with its inode and how many names that has. */
export function sharedIn(output: string): SharedFiles {
  const seen = new Map<string, { readonly names: number; readonly paths: string[] }>();
  for (const entry of output.split(/[\0]|\n(?=\d+:\d+ \d+ \/)/)) {
    const [, inode, names, path] = /^(\S+) (\d+) (.*)$/s.exec(entry) ?? [];
    if (inode === undefined || path === undefined) continue;
    const known = seen.get(inode) ?? { names: Number(names), paths: [] };
    known.paths.push(path);
    seen.set(inode, known);
  }
  const shared = [...seen.values()].filter(({ names, paths }) => paths.length < names)
    .map(({ paths: [path = ""] }) => path);
  return { count: shared.length, named: shared.toSorted().slice(0, NAMED) };
}

/** Looks for them; null where that cannot be told. Runs on a world that refuses changes, too. */
export async function findSharedFiles(
  { processes, env }: System,
  directory: string,
): Promise<SharedFiles | null> {
  const told = env.platform === "darwin" ? TOLD.bsd : TOLD.gnu;
  const result = await processes.run({
    command: "find",
    args: [directory, ...told],
    maxOutputBytes: MOST_BYTES,
  });
  return result.exitCode === 0 && !result.truncated ? sharedIn(result.stdout) : null;
}
