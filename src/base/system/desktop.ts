/** Whether there is a desktop that a person sits at. */

import type { Environment } from "./mod.ts";

/** Whether a person sits at the desktop of this very machine, as far as the environment tells. */
export function isDesktop(env: Pick<Environment, "platform" | "get">): boolean {
  if ((env.get("SSH_CONNECTION") ?? "") !== "") return false;
  return env.platform !== "linux" ||
    (env.get("DISPLAY") || env.get("WAYLAND_DISPLAY") || "") !== "";
}
