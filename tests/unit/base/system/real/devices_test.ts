// Covers liesInDevices(): what the compiled program keeps all permissions for.

import { assertEquals } from "@std/assert";
import { liesInDevices } from "../../../../../src/base/system/real/devices.ts";

const CASES: readonly (readonly [string, string[], Record<string, string>, boolean])[] = [
  ["nothing", [], {}, false],
  ["a word", ["status"], {}, false],
  ["an argument", ["--root", "/dev/shm/x"], {}, true],
  ["the value of a flag", ["--root=/dev/shm/x"], {}, true],
  ["an address", ["repo", "add", "file:///dev/shm/x.git"], {}, true],
  ["the sink", ["log", "--output", "/dev/null"], {}, false],
  ["a terminal", ["/dev/pts/3", "/dev/stdin", "/dev/fd/3"], {}, false],
  ["a home", [], { HOME: "/dev/shm/home" }, true],
  ["a place of ours", [], { AMOF_HOME: "/dev/shm/amof" }, true],
  ["a place for temporary files", [], { TMPDIR: "/dev/shm" }, true],
  ["a variable of others", [], { OTHER: "/dev/shm" }, false],
];

for (const [what, args, env, expected] of CASES) {
  Deno.test({
    name: `liesInDevices() with ${what} is ${expected}`,
    // Where the tests themselves work there, all of them do.
    ignore: Deno.build.os !== "linux" || Deno.cwd().startsWith("/dev/"),
    fn: () => assertEquals(liesInDevices(args, env), expected),
  });
}
