/**
 * Which file systems are mounted read-only: asking for permission does not tell, because Deno answers that out of the
 * permission bits alone.
 */

import { isBelow } from "../../paths.ts";

/** A mount point as Linux lists it, with what stands for a space and the like in its name. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(parseInt(code, 8)));
}

/**
 * Whether the mount that a path lies on is read-only, by a list of mounts in the form of `/proc/self/mountinfo`. The
 * path is absolute and without links. Of several mounts in one place the last one counts.
 */
export function isMountedReadOnly(mounts: string, path: string): boolean {
  let point = "";
  let readOnly = false;
  for (const line of mounts.split("\n")) {
    const [mount, filesystem] = line.split(" - ");
    const [, , , , at, options] = mount?.split(" ") ?? [];
    if (at === undefined || options === undefined) continue;
    const place = unescaped(at);
    if (!isBelow(place, path) || place.length < point.length) continue;
    point = place;
    const ofFilesystem = filesystem?.split(" ").at(-1) ?? "";
    readOnly = `${options},${ofFilesystem}`.split(",").includes("ro");
  }
  return readOnly;
}
