/** Reads what a forge answers to a push: a link at which a pull request begins, or to the one there is. */

import { cleanLine } from "../../base/text/sanitize.ts";
import { hostOf } from "../call/limits.ts";

/** Longer links are none that a person would follow. */
const LONGEST = 1_000;

/**
 * What a remote said of a pull request: a link to its own host, or to any where it has none, by `url`; else `text`, the
 * words as they came, as nobody knows where that leads.
 */
export type PullRequest = { readonly url: string } | { readonly text: string };

/** A word as a link that can be followed as it stands: http or https, without a password; null for anything else. */
function linkOf(word: string): string | null {
  if (word.length > LONGEST || !/^https?:\/\/[\x21-\x7e]+$/i.test(word)) return null;
  const url = URL.parse(word);
  return url === null || url.username !== "" || url.password !== "" ? null : word;
}

/** Whether a link leads to the host of a remote, which for SSH some forges give a name of its own. */
function isOf(link: string, remote: string): boolean {
  const host = hostOf(remote);
  const { hostname } = new URL(link);
  return host === "" || [hostname, `ssh.${hostname}`, `altssh.${hostname}`].includes(host);
}

/**
 * The link in what a remote said to a push, by what git printed of it. Forges announce it with the words "pull request"
 * or "merge request" in the same line or the one before. `remote` is the URL that was pushed to.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { pullRequestIn } from "./pull_request.ts";
 *
 * const stderr = `remote:
 * remote: Create a pull request for 'x' by visiting:
 * remote:      https://example.com/shop/api/pull/new/x
 * remote: `;
 * assertEquals(pullRequestIn(stderr, "git@example.com:shop/api.git"), {
 *   url: "https://example.com/shop/api/pull/new/x",
 * });
 * ```
 */
export function pullRequestIn(stderr: string, remote: string): PullRequest | null {
  const lines = stderr.split(/\r\n|[\r\n]/).flatMap((line) => {
    const said = /^remote:(.*)$/.exec(line)?.[1]?.trim() ?? "";
    return said === "" ? [] : [said];
  });
  for (const [at, line] of lines.entries()) {
    const link = line.split(/\s+/).map(linkOf).find((found) => found !== null);
    if (link === undefined) continue;
    const before = lines[at - 1] ?? "";
    const isAbout = (text: string) => /\b(?:pull|merge)[ -]requests?\b/i.test(text);
    if (!isAbout(line) && !isAbout(before)) continue;
    if (isOf(link, remote)) return { url: link };
    return { text: cleanLine(isAbout(line) ? line : `${before} ${line}`, 500) };
  }
  return null;
}
