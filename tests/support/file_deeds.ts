/**
 * What a person does to the files of a repository, as values that properties take their cases from, and a small
 * repository to do it in. It has names with spaces, quotes and line breaks, bytes that are no text, links,
 * permissions, and directories that become files.
 *
 * @module
 */

import { dirname, join } from "@std/path";
import fc from "fast-check";
import type { World } from "./world.ts";

/** Paths that the cases write to; some lie below others. */
const PATHS = [
  "a",
  "empty",
  "dir/f",
  "dir/sub/g",
  "run.sh",
  "we ird",
  'q"uo\\te\nü',
  "link",
  "dir",
];
const CONTENTS = ["", "one\n", "two\r\n", "\u0000\u00ff binary", "one\ntwo\nthree"];

/** One thing that is done to a file. */
export type FileDeed =
  | { readonly do: "write"; readonly path: string; readonly content: string }
  | { readonly do: "mode"; readonly path: string; readonly mode: number }
  | { readonly do: "link"; readonly path: string; readonly target: string }
  | { readonly do: "delete"; readonly path: string };

/** One of the paths. */
export const path: fc.Arbitrary<string> = fc.constantFrom(...PATHS);

/** Files are written. */
export const writes: fc.Arbitrary<FileDeed> = fc.record({
  do: fc.constant("write" as const),
  path,
  content: fc.constantFrom(...CONTENTS),
});

/** Permissions of files are changed. */
export const modes: fc.Arbitrary<FileDeed> = fc.record({
  do: fc.constant("mode" as const),
  path,
  mode: fc.constantFrom(0o644, 0o755, 0o600, 0o700, 0o664),
});

/** Links stand where a file or a directory was. */
export const links: fc.Arbitrary<FileDeed> = fc.record({
  do: fc.constant("link" as const),
  path,
  target: fc.constantFrom("a", "nowhere", "."),
});

/** Files and directories go. */
export const deletions: fc.Arbitrary<FileDeed> = fc.record({
  do: fc.constant("delete" as const),
  path,
});

/** Does one thing in a repository; what cannot be done is passed over. */
export async function actOnFile(repo: string, one: FileDeed): Promise<void> {
  const full = join(repo, one.path);
  try {
    switch (one.do) {
      case "write":
        if ((await Deno.lstat(full).catch(() => null))?.isSymlink) return;
        await Deno.mkdir(dirname(full), { recursive: true });
        return await Deno.writeTextFile(full, one.content);
      case "mode":
        return (await Deno.lstat(full)).isFile ? await Deno.chmod(full, one.mode) : undefined;
      case "link":
        await Deno.remove(full, { recursive: true }).catch(() => {});
        return await Deno.symlink(one.target, full);
      case "delete":
        return await Deno.remove(full, { recursive: true });
    }
  } catch {
    // There is nothing of that kind.
  }
}

/** Every file and link below a working copy, sorted, with its bytes and what `bits` makes of its path and mode. */
export async function filesBelow(
  repo: string,
  bits: (path: string, mode: number) => number,
): Promise<string[]> {
  const files: string[] = [];
  const walk = async (directory: string) => {
    for await (const entry of Deno.readDir(directory)) {
      const full = join(directory, entry.name);
      if (entry.name === ".git") continue;
      const mode = bits(full.slice(repo.length + 1), (await Deno.lstat(full)).mode ?? 0);
      if (entry.isSymlink) files.push(`${full} -> ${await Deno.readLink(full)}`);
      else if (entry.isDirectory) await walk(full);
      else files.push(`${full} ${mode.toString(8)} ${[...await Deno.readFile(full)]}`);
    }
  };
  await walk(repo);
  return files.sort();
}

/** A repository of one commit on `main`, with files of every kind; answers where it is. */
export async function smallRepository(
  world: World,
  name: string,
  format: "sha1" | "sha256" = "sha1",
): Promise<string> {
  const repo = join(world.directory, name);
  await Deno.mkdir(join(repo, "dir", "sub"), { recursive: true });
  await world.git(repo, "init", "-q", "--initial-branch=main", `--object-format=${format}`);
  await Deno.writeTextFile(join(repo, "a"), "alpha\n");
  await Deno.writeTextFile(join(repo, "empty"), "");
  await Deno.writeTextFile(join(repo, "dir", "f"), "eff\n");
  await Deno.writeTextFile(join(repo, "dir", "sub", "g"), "gee\n");
  await Deno.writeTextFile(join(repo, "run.sh"), "#!/bin/sh\n", { mode: 0o755 });
  await Deno.symlink("a", join(repo, "link"));
  await world.git(repo, "add", ".");
  await world.git(repo, "commit", "-q", "-m", "Begin");
  return repo;
}
