/** Looks for a program in the directories of `PATH`. */

import { isAbsolute, join } from "@std/path";
import type { Environment, System } from "./mod.ts";

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

// Whether there is a desktop that a person sits at, and what opens addresses and directories there as a click would.

/** Its words for a target. */
export function openerOf(platform: Environment["platform"], target: string): readonly string[] {
  switch (platform) {
    case "darwin":
      return ["open", target];
    case "windows":
      // `start` is a word of a shell that would read the address; these are programs.
      return /^(?:https?|file):/.test(target)
        ? ["rundll32", "url.dll,FileProtocolHandler", target]
        : ["explorer", target];
    case "linux":
      return ["xdg-open", target];
  }
}

/** Whether a person sits at the desktop of this very machine, as far as the environment tells. */
export function isDesktop(env: Pick<Environment, "platform" | "get">): boolean {
  if ((env.get("SSH_CONNECTION") ?? "") !== "") return false;
  return env.platform !== "linux" ||
    (env.get("DISPLAY") || env.get("WAYLAND_DISPLAY") || "") !== "";
}
