/** Whether there is a desktop that a person sits at, and what opens addresses and directories there as a click would. */

import type { Environment } from "./mod.ts";

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
