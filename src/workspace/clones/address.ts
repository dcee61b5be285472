/** Addresses of repositories: which of them let somebody in, and which mean the same repository. */

import { isRelativePath, type Repository } from "../../git/mod.ts";
import { maskSecrets } from "../../base/text/mask.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { shellWord } from "../../base/text/words.ts";

/** Scheme, user, password and the rest of an address with a scheme and somebody in front of its host. */
const WITH_USER = /^([a-z][a-z0-9+.-]*:\/\/)([^/:]*)(?::([^/]*))?@(.*)$/is;
/** So long is no name that somebody has chosen, but what a host has made. */
const MADE_BY_HOST = /^[A-Za-z0-9_-]{30,}$/;

/** Whether what stands in front of a host is no name but lets somebody in by itself. */
function isToken(user: string): boolean {
  return MADE_BY_HOST.test(user) || maskSecrets(user) !== user;
}

/**
 * An address without what lets somebody in: a manifest is read by many. The name of a user stays, which hosts put into the
 * addresses that they show.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { withoutCredentials } from "./address.ts";
 *
 * assertEquals(withoutCredentials("https://me:secret@example.com/api.git"), "https://example.com/api.git");
 * assertEquals(withoutCredentials("https://me@example.com/api.git"), "https://me@example.com/api.git");
 * ```
 */
export function withoutCredentials(url: string): string {
  const [, scheme = "", user = "", password, rest = ""] = WITH_USER.exec(url) ?? [];
  if (scheme === "") return url;
  // Over SSH the user is part of the way there; over HTTP it goes with its password.
  const isHalf = password !== undefined && !/ssh/i.test(scheme);
  return user === "" || isHalf || isToken(user) ? `${scheme}${rest}` : `${scheme}${user}@${rest}`;
}

/** Whether an address has something in it that lets somebody in, wherever it stands; the name of a user does not. */
export function hasCredentials(url: string): boolean {
  if (withoutCredentials(url) !== url) return true;
  const bare = url.replace(WITH_USER, "$1$4");
  return maskSecrets(bare) !== bare;
}

/** What is the same for two spellings of one address: whoever asks, over whichever protocol. */
export function addressKey(url: string): string {
  const isScp = !/^[a-z][a-z0-9+.-]*:\/\//i.test(url);
  const bare = isScp
    ? url.replace(/^(?:[^/@:]+@)?([^/@:]{2,}):\/?/, "$1/")
    : url.replace(/^[a-z][a-z0-9+.-]*:\/\/(?:[^/]*@)?/i, "");
  return bare.replace(/^([^/:]+):(?:22|80|443)\//, "$1/").replace(/\/+$/, "").replace(/\.git$/i, "")
    .toLowerCase();
}

/**
 * The address of `origin` in a clone, where it is another one than the manifest has. Empty where there is no
 * such remote, null where they mean the same, or where nobody can tell. No process; one or two where they are
 * written differently.
 */
export async function otherAddress(
  { remotes }: Pick<Repository, "remotes">,
  url: string,
): Promise<string | null> {
  const configured = await remotes.configured("origin");
  if (configured === null) {
    // The settings of the user may name one, too.
    return await remotes.url("origin") === null ? "" : null;
  }
  // What a relative path means depends on the place that it is read from.
  if (isRelativePath(url)) return null;
  if (addressKey(configured) === addressKey(url)) return null;
  // Settings of the user may let one address stand for another.
  const meant = await remotes.address("origin");
  const isSame = meant === null || addressKey(meant) === addressKey(url) ||
    addressKey(meant) === addressKey(await remotes.meaning(url));
  return isSame ? null : meant;
}

/**
 * Whether what is known of the remotes of a clone was fetched from an address that none of them has. That is
 * so, for example, after the address of `origin` was corrected. False where nobody can tell. At most one
 * process.
 */
export async function fetchedElsewhere(
  { remotes, remoteRefs }: Pick<Repository, "remotes" | "remoteRefs">,
): Promise<boolean> {
  const from = await remoteRefs.lastFetched();
  const configured = [...(await remotes.allConfigured()).values()];
  if (from === null || isRelativePath(from) || configured.some(isRelativePath)) return false;
  if (configured.some((url) => addressKey(url) === addressKey(from))) return false;
  const meant = await remotes.address("origin");
  return meant !== null && addressKey(meant) !== addressKey(from);
}

/** The other repository of a manifest that is at an address; null where none is, as at that of a fork. */
export function repoAt<R extends { readonly name: string; readonly url: string }>(
  address: string | null,
  name: string,
  repos: readonly R[],
): R | null {
  if (address === null || address === "") return null;
  const key = addressKey(address);
  return repos.find((other) => other.name !== name && addressKey(other.url) === key) ?? null;
}

/** The remote of a clone without `origin` that has the address of the manifest, whatever it is called; null for none. */
export async function misnamedRemote(
  { remotes }: Pick<Repository, "remotes">,
  url: string,
): Promise<string | null> {
  const key = addressKey(url);
  return [...await remotes.allConfigured()].find(([, address]) => addressKey(address) === key)
    ?.[0] ?? null;
}

/** What is said of a clone whose `origin` is not the address of the manifest, and the command that mends just that. */
export function otherAddressWords(
  { url }: { readonly url: string },
  directory: string,
  address: string,
  /** The remote that has the address of the manifest, where there is no `origin`. */
  misnamed: string | null = null,
): [detail: string, fix: string] {
  const shown = (text: string) => cleanLine(withoutCredentials(text), 200);
  if (address === "" && misnamed !== null) {
    const rename = `git -C ${shellWord(directory)} remote rename ${shellWord(misnamed)} origin`;
    return [`its remote is called ${shown(misnamed)}, and everything goes by origin`, rename];
  }
  if (address === "") {
    const add = `git -C ${shellWord(directory)} remote add origin ${shellWord(url)}`;
    return ["it has no remote origin, by which everything goes", add];
  }
  return [
    `its origin is ${shown(address)}, and the manifest says ${shown(url)}`,
    hasCredentials(url)
      ? "Take the password or token out of the address in the manifest"
      : `git -C ${shellWord(directory)} remote set-url origin ${shellWord(url)}`,
  ];
}
