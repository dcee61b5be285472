/** Which texts may be handed to git as names, decided without asking git. */

import { isAbsolute } from "@std/path";

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
