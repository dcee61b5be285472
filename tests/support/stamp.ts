/**
 * Writes into a bundle which commit it was made of, names its parts by what they hold, and compresses the data
 * in it: `stamp.ts DIRECTORY`.
 *
 * The same commit gives the same bytes wherever it lies. So does the binary, which holds the times of the
 * bundle's files: these are `SOURCE_DATE_EPOCH`, in seconds, else when the commit was made.
 *
 * @module
 */

import { join } from "@std/path";
import { UNKNOWN_COMMIT } from "../../src/base/version.ts";
import { nameByContent } from "./chunk_names.ts";
import { compressData, DATA } from "./data_urls.ts";

/** What git answers; empty where it cannot. */
async function git(...args: readonly string[]): Promise<string> {
  try {
    const { success, stdout } = await new Deno.Command("git", { args: [...args] }).output();
    return success ? new TextDecoder().decode(stdout).trim() : "";
  } catch {
    return "";
  }
}

/** Puts a commit into every module of a bundle that asks for it; answers how many do. */
export async function stamp(directory: string, commit: string): Promise<number> {
  let stamped = 0;
  for await (const { name } of Deno.readDir(directory)) {
    if (!name.endsWith(".js")) continue;
    const path = join(directory, name);
    const text = await Deno.readTextFile(path);
    if (!text.includes(UNKNOWN_COMMIT)) continue;
    await Deno.writeTextFile(path, text.replaceAll(UNKNOWN_COMMIT, commit));
    stamped++;
  }
  return stamped;
}

/** Gives every file of a bundle one time, in seconds. */
export async function setTimes(directory: string, seconds: number): Promise<void> {
  for await (const { name } of Deno.readDir(directory)) {
    await Deno.utime(join(directory, name), seconds, seconds);
  }
}

if (import.meta.main) {
  const directory = Deno.args[0] ?? "";
  await nameByContent(directory);
  await compressData(directory);
  const commit = await git("rev-parse", "HEAD");
  // What is not committed is no part of what the commit says.
  const changed = commit !== "" &&
    await git("status", "--porcelain", "--untracked-files=no") !== "";
  if (/^[0-9a-f]{40,64}$/.test(commit)) {
    await stamp(directory, `${commit}${changed ? "-changed" : ""}`);
  }
  const given = Number(Deno.env.get("SOURCE_DATE_EPOCH"));
  const made = given > 0 ? given : Number(await git("log", "-1", "--format=%ct"));
  await setTimes(join(directory, DATA), made);
  await setTimes(directory, made);
}
