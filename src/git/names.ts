/**
 * Which texts may be handed to git as names, decided without asking git.
 *
 * @module
 */

/**
 * Whether git would accept this as the name of a branch: the rules of `git check-ref-format --branch`,
 * and besides them neither `@`, nor C1 control characters, nor more than 244 characters.
 */
export function isBranchName(name: string): boolean {
  return name !== "HEAD" && !name.startsWith("-") && name !== "@" &&
    name.length > 0 && name.length <= 244 &&
    !/[^\P{Cc}]|[ ~^:?*[\\]/u.test(name) &&
    !name.includes("..") && !name.includes("@{") && !name.includes("//") &&
    !name.startsWith("/") && !name.endsWith("/") && !name.endsWith(".") &&
    name.split("/").every((part) => !part.startsWith(".") && !part.endsWith(".lock"));
}

/** Whether git could take this URL for an option or a command to run: `ext::`, `fd::` and the like (WORKSPACE-12). */
export function isUnsafeUrl(url: string): boolean {
  return url.startsWith("-") || /^[A-Za-z0-9+.-]+::/.test(url) || /[^\P{Cc}]/u.test(url) ||
    // An SSH host that begins with a dash would become an option of ssh.
    /^(?:(?:ssh|git\+ssh|ssh\+git):\/\/)?(?:[^@/]*@)?-/.test(url);
}
