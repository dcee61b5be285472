/** What the programs of forges, which have the user's sign-in, are asked. */

import type { ProcessRequest } from "../../../base/system/mod.ts";

/** The programs that can be asked, the preferred one first. */
export const FORGES = ["gh", "glab"] as const;
/** One of them. */
export type Forge = typeof FORGES[number];

/** The words with which a program is asked which protocol its user prefers; signing in sets it for one host. */
export function protocolWords(host: string | null): string[] {
  return ["config", "get", "git_protocol", ...(host === null ? [] : ["--host", host])];
}

/** Whether a program is one of these, with a question that changes nothing. */
export function isForgeQuestion({ command, args }: ProcessRequest): boolean {
  if (!(FORGES as readonly string[]).includes(command)) return false;
  const words = protocolWords(args[4] ?? null);
  if (args.length === words.length && words.every((word, at) => args[at] === word)) return true;
  return command === "gh"
    ? args[0] === "repo" && args[1] === "list"
    : args[0] === "api" && args.length === 2 && (args[1] ?? "").startsWith("groups/");
}
