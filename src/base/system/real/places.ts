/**
 * Where programs are when `PATH` does not say so: hosts with a window start servers with an empty or a short one (MCP-15).
 */

import { isAbsolute, join } from "@std/path";
import type { Environment } from "../mod.ts";

/** The variable that names places in the place of the usual ones. */
const VARIABLE = "AMOF_PATH";

/** The directories in which git usually is on a system. */
export function usualPlaces(
  platform: Environment["platform"],
  get: (name: string) => string | undefined,
): readonly string[] {
  if (platform !== "windows") {
    return ["/usr/local/bin", "/opt/homebrew/bin", "/usr/bin", "/bin"];
  }
  const roots = [
    get("ProgramW6432"),
    get("ProgramFiles"),
    ...[get("LOCALAPPDATA")].map((root) => root && `${root}\\Programs`),
  ];
  return [...new Set(roots)].flatMap((root) => root ? [`${root}\\Git\\cmd`] : []);
}

function holds(directory: string, file: string): boolean {
  try {
    const { isFile, mode } = Deno.statSync(join(directory, file));
    return isFile && (mode === null || (mode & 0o111) !== 0);
  } catch {
    return false;
  }
}

/**
 * Puts the usual places, or those that `AMOF_PATH` names, behind the directories of `PATH` where none of these holds
 * git. It holds for this process and all that it starts.
 */
export function completePath(): void {
  const platform = Deno.build.os === "windows" ? "windows" : "linux";
  const [separator, file] = platform === "windows" ? [";", "git.exe"] : [":", "git"];
  const get = (name: string) => Deno.env.get(name);
  const directories = (text: string | undefined) => (text ?? "").split(separator).filter(Boolean);
  const path = directories(get("PATH"));
  if (path.some((directory) => isAbsolute(directory) && holds(directory, file))) return;
  const own = get(VARIABLE);
  const places = own === undefined ? usualPlaces(platform, get) : directories(own);
  const more = places.filter((place) => isAbsolute(place) && !path.includes(place));
  if (more.length > 0) Deno.env.set("PATH", [...path, ...more].join(separator));
}
