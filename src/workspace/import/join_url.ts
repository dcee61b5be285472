/** Addresses relative to another one, joined as repo and Python's `urljoin` do it. */

/** An address as what stays whatever is joined to it, and the path behind that. */
function parted(address: string): readonly [place: string, path: string] {
  const [place = ""] = /^[a-z][a-z0-9+.-]*:\/\/[^/]*/i.exec(address) ??
    // `user@host:team/list`: the first step belongs to the host, as it does for repo.
    /^[^/]*:[^/]*/.exec(address) ?? [];
  return [place, address.slice(place.length)];
}

/** Whether an address says all by itself where it leads: it has a scheme, or a host and a colon. */
function isWhole(address: string): boolean {
  return /^[^/]*:/.test(address);
}

/** A path without `.` and `..`; those that lead above its top lead to the top. */
function walked(path: string): string {
  const steps: string[] = [];
  for (const step of path.split("/")) {
    if (step === "..") steps.pop();
    else if (step !== "." && step !== "") steps.push(step);
  }
  return `/${steps.join("/")}`;
}

/**
 * The address that `relative` leads to from the directory in which `base` lies; without a slash at its end.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { joinUrl } from "./join_url.ts";
 *
 * assertEquals(joinUrl("https://h.test/platform/manifest", ".."), "https://h.test");
 * assertEquals(joinUrl("git@h.test:team/sub/list.git", "."), "git@h.test:team/sub");
 * ```
 */
export function joinUrl(base: string, relative: string): string {
  const wanted = relative.replace(/\/+$/, "");
  if (isWhole(wanted)) return wanted;
  if (relative === "") return base.replace(/\/+$/, "");
  const [place, path] = parted(base.replace(/\/+$/, ""));
  if (wanted.startsWith("//")) return `${/^[^/]*/.exec(place)?.[0] ?? ""}${wanted}`;
  const directory = path.slice(0, path.lastIndexOf("/") + 1);
  const joined = relative.startsWith("/") ? relative : `${directory}${wanted}`;
  return `${place}${walked(joined)}`.replace(/\/+$/, "");
}
