/**
 * Programs that tests of packages need, and a small one that is packaged in place of the real one.
 *
 * @module
 */

import { join } from "@std/path";

/** Whether a program is on PATH. */
export function isInstalled(name: string): boolean {
  return (Deno.env.get("PATH") ?? "").split(":").some((directory) => {
    try {
      return Deno.statSync(join(directory, name)).isFile;
    } catch {
      return false;
    }
  });
}

/**
 * Says how it was called, and ends as its first argument asks: `exit 3`, or waits for a signal after `wait`. It is a
 * script, so that packages of it are made in no time.
 */
export const SMALL_PROGRAM = `#!/bin/sh
case $1 in
  --version) echo "amof VERSION" ;;
  exit) exit "$2" ;;
  wait)
    echo waiting
    exec sleep 60
    ;;
  *) echo "\${AMOF_DISTRIBUTION:-none}: $*" ;;
esac
`;
