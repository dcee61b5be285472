/** The version, for those who ask for nothing else: installers and hosts do, before anything, and wait for it. */

import { VERSION } from "../../base/version.ts";

/** Whether the program was called by the name of agentpack, which is a command line of its own. */
export function isAgentpack(program: string): boolean {
  return /(?:^|[/\\])agentpack(?:\.exe)?$/i.test(program);
}

/**
 * What a command line prints that asks for the version and nothing else; null for any other, and where the program is
 * called by another name than amof. With `--json` it is a page of `asked_page.ts`.
 */
export function versionAlone(program: string, args: readonly string[]): string | null {
  const [only, ...more] = args;
  if (more.length > 0 || only !== "--version" && only !== "-V") return null;
  return isAgentpack(program) ? null : versionText();
}

/** What is said of the version where nothing more is asked. */
export function versionText(): string {
  return `amof ${VERSION}\n`;
}
