/** The page of a repository in a browser, out of the URL it is cloned from. */

import { cleanLine } from "../../base/text/sanitize.ts";
import { hostOf } from "../call/limits.ts";

/** Hosts that speak ssh under a name of their own, with the one that shows pages. */
const SSH_HOSTS: Readonly<Record<string, string>> = {
  "ssh.github.com": "github.com",
  "altssh.gitlab.com": "gitlab.com",
  "altssh.bitbucket.org": "bitbucket.org",
  "ssh.dev.azure.com": "dev.azure.com",
};

interface Address {
  readonly scheme: "http" | "https";
  /** With the port where pages have one. */
  readonly host: string;
  /** Without slashes at its ends and without `.git`. */
  readonly path: string;
}

/** The parts of a URL that lead to a host which may show pages; null for files and for what no browser opens. */
function addressOf(url: string): Address | null {
  const full =
    /^(https?|ssh|git|git\+ssh|ssh\+git):\/\/(?:[^/?#]*@)?([^/?#@:]+|\[[^\]]+\])(:\d+)?\/([^?#]*)/i
      .exec(url);
  // Without a scheme a host stands in front of a colon; one letter there is a drive.
  const short = full === null && !url.includes("://")
    ? /^(?:[^/@:]+@)?([^/@:]{2,}):(?!:)([^?#]*)$/.exec(url)
    : null;
  const web = /^https?$/i.test(full?.[1] ?? "");
  const name = (full?.[2] ?? short?.[1] ?? "").toLowerCase();
  const path = (full?.[4] ?? short?.[2] ?? "").replace(/^\/+/, "").replace(/\/+$/, "")
    .replace(/\.git$/i, "");
  if (name === "" || path === "") return null;
  return {
    scheme: /^http$/i.test(full?.[1] ?? "") ? "http" : "https",
    // Only of a page's own address is the port that of its pages.
    host: (SSH_HOSTS[name] ?? name) + (web ? full?.[3] ?? "" : ""),
    path,
  };
}

/** What stands behind the host where its pages are elsewhere than its clones. */
function pagePath({ host, path }: Address): string {
  const azure = /^v3\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(path);
  if (host === "dev.azure.com" && azure !== null) {
    return `${azure[1]}/${azure[2]}/_git/${azure[3]}`;
  }
  // Bitbucket's server has its clones below `scm`, and those of a person below `~name`.
  const scm = /^((?:[^/]+\/)?)scm\/(~?)([^/]+)\/([^/]+)$/i.exec(path);
  if (scm !== null) {
    return `${scm[1]}${scm[2] === "~" ? "users" : "projects"}/${scm[3]}/repos/${scm[4]}`;
  }
  return path;
}

/**
 * The address of a repository's page, always http or https and never with credentials; null where the URL leads to no
 * host that could show one. GitHub, GitLab, Bitbucket (also its server), Gitea and Azure DevOps are known; others are
 * taken to show a page where the clone is.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { webPage } from "./web.ts";
 *
 * assertEquals(webPage("git@github.com:shop/api.git"), "https://github.com/shop/api");
 * assertEquals(webPage("https://me:secret@git.example.com:8443/shop/api"), "https://git.example.com:8443/shop/api");
 * assertEquals(webPage("/srv/git/api.git"), null);
 * ```
 */
export function webPage(url: string): string | null {
  const address = addressOf(url.trim());
  if (address === null) return null;
  try {
    const page = new URL(`${address.scheme}://${address.host}/`);
    page.pathname = `/${pagePath(address)}`;
    return page.username === "" && page.password === "" ? page.href : null;
  } catch {
    return null;
  }
}

// Reads what a forge answers to a push: a link at which a pull request begins, or to the one there is.

/** Longer links are none that a person would follow. */
const LONGEST = 1_000;

/**
 * What a remote said of a pull request. `url` is a link to its own host, or to any where it has none. Else
 * `text` is the words as they came, as nobody knows where they lead.
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
 * import { pullRequestIn } from "./web.ts";
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
