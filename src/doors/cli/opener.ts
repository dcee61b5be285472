/** The program of the system that opens addresses and directories as a click would. */

import type { Environment } from "../../base/system/mod.ts";

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
