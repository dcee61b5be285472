/** Looks for a program in the directories of `PATH`. */

import { isAbsolute, join } from "@std/path";
import type { System } from "./mod.ts";

/** The directories of `PATH`, as far as they mean the same wherever one stands. */
export function pathDirectories({ env }: Pick<System, "env">): readonly string[] {
  const separator = env.platform === "windows" ? ";" : ":";
  return (env.get("PATH") ?? "").split(separator).filter((directory) => isAbsolute(directory));
}

/** Where a program is, such as `/usr/bin/git`; null where no directory of `PATH` has it. */
export async function findProgram(
  system: Pick<System, "env" | "files">,
  name: string,
): Promise<string | null> {
  const file = system.env.platform === "windows" ? `${name}.exe` : name;
  for (const directory of pathDirectories(system)) {
    const path = join(directory, file);
    const found = await system.files.stat(path).catch(() => null);
    if (found?.kind === "file" && (found.mode === null || (found.mode & 0o111) !== 0)) return path;
  }
  return null;
}
