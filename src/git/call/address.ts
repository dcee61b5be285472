/** Which texts may be handed to git as addresses, and which of those lead to the same repository; without asking git. */

import { isAbsolute } from "@std/path";

/** The server and the path, without who asks and how, where both ways prove which server it is; else the text itself. */
function target(address: string): string {
  const scp = /^(?:[^@/:]+@)?([A-Za-z0-9.-]+):(?!\/\/)\/?(.+)$/.exec(address);
  const web = /^(?:https|ssh|git\+ssh):\/\/(?:[^@/]*@)?([^/]+)\/(.+)$/i.exec(address);
  const plain = /^(http):\/\/(?:[^@/]*@)?([^/]+\/.+)$/i.exec(address);
  if (plain !== null) return `http ${plain[2]}`;
  // A letter before the colon is a drive.
  const match = web ?? (/^[A-Za-z]:/.test(address) ? null : scp);
  if (match === null) return address;
  const [, host = "", path = ""] = match;
  return `${host.toLowerCase()} ${path.replace(/\/+$/, "").replace(/\.git$/, "")}`;
}

/** Whether two addresses lead to the same repository of the same server, whoever asks, over https or ssh. */
export function isSameRepository(one: string, other: string): boolean {
  return target(one) === target(other);
}

/** Whether git could take this URL for an option or a command to run: `ext::`, `fd::` and the like (WORKSPACE-12). */
export function isUnsafeUrl(url: string): boolean {
  return url.startsWith("-") || /^[A-Za-z0-9+.-]+::/.test(url) || /[^\P{Cc}]/u.test(url) ||
    // An SSH host that begins with a dash would become an option of ssh.
    /^(?:(?:ssh|git\+ssh|ssh\+git):\/\/)?(?:[^@/]*@)?-/.test(url);
}

/** Whether an address is a path that leads somewhere else from another directory; as git tells paths from hosts. */
export function isRelativePath(url: string): boolean {
  const host = /^[^/]*:/.test(url);
  return !host && !isAbsolute(url) && !isUnsafeUrl(url);
}
