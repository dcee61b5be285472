/**
 * What making packages needs of the system: programs, files with fixed times and modes, hashes.
 *
 * @module
 */

import { dirname, join } from "@std/path";

/** How a program is called. */
export interface Running {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a program; throws what it said where it fails. Answers its standard output. */
export async function run(
  command: string,
  args: readonly string[],
  how: Running = {},
): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command(command, {
    args: [...args],
    ...how,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  const said = new TextDecoder().decode(stdout);
  if (code === 0) return said;
  throw new Error(
    `${command} ${args.join(" ")} failed with ${code}:\n${said}${new TextDecoder().decode(stderr)}`,
  );
}

/** Writes files of a package below a directory, texts as they are, others as copies; what is `run` may be executed. */
export async function stage(directory: string, files: Iterable<StagedFile>): Promise<void> {
  for (const file of files) {
    const place = join(directory, file.path);
    await Deno.mkdir(dirname(place), { recursive: true });
    if ("text" in file) await Deno.writeTextFile(place, file.text);
    else if ("link" in file) {
      await Deno.symlink(file.link, place);
      continue;
    } else await Deno.copyFile(file.from, place);
    await Deno.chmod(place, file.run === true ? 0o755 : 0o644);
  }
  // What the directories are made with depends on who makes them.
  if (Deno.build.os === "windows") return;
  await run("find", [directory, "-type", "d", "-exec", "chmod", "0755", "{}", "+"]);
}

/** A file of a package. */
export type StagedFile =
  & { readonly path: string; readonly run?: boolean }
  & ({ readonly text: string } | { readonly from: string } | { readonly link: string });

/** Gives everything below a directory the moment of the release. */
export async function setTimes(directory: string, epoch: number): Promise<void> {
  for await (const entry of Deno.readDir(directory)) {
    const path = join(directory, entry.name);
    if (entry.isDirectory) await setTimes(path, epoch);
    else if (entry.isFile) await Deno.utime(path, epoch, epoch);
  }
  await Deno.utime(directory, epoch, epoch);
}

/** The SHA-256 of a file, in hexadecimal. */
export async function sha256File(path: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", await Deno.readFile(path));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** An empty directory in the place of whatever stands there. */
export async function emptied(directory: string): Promise<string> {
  await Deno.remove(directory, { recursive: true }).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
  await Deno.mkdir(directory, { recursive: true });
  return directory;
}

/** An object as the text of a file. */
export function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
