// Covers liesInDevices(): what the compiled program keeps all permissions for.

import { assert, assertEquals } from "@std/assert";
import { dirname, join, relative } from "@std/path";
import { liesInDevices } from "../../../../../src/base/system/real/at_start.ts";

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

/** A link to `/dev/shm`, with what is there and what is not. */
function link(): string {
  const path = join(Deno.makeTempDirSync(), "link");
  Deno.symlinkSync("/dev/shm", path);
  return path;
}

for (
  const [what, pathOf] of [
    ["a link", (path: string) => path],
    ["a link from where one stands", (path: string) => relative(Deno.cwd(), path)],
    ["what is not there yet behind a link", (path: string) => join(path, "not", "there")],
  ] as const
) {
  Deno.test({
    name: `liesInDevices() follows ${what}`,
    ignore: Deno.build.os !== "linux" || Deno.cwd().startsWith("/dev/"),
    fn: () => {
      const path = link();
      assert(liesInDevices(["--root", pathOf(path)], {}));
      assert(liesInDevices([], { AMOF_HOME: pathOf(path) }));
      Deno.removeSync(dirname(path), { recursive: true });
    },
  });
}

for (const [what, args, env, expected] of CASES) {
  Deno.test({
    name: `liesInDevices() with ${what} is ${expected}`,
    // Where the tests themselves work there, all of them do.
    ignore: Deno.build.os !== "linux" || Deno.cwd().startsWith("/dev/"),
    fn: () => assertEquals(liesInDevices(args, env), expected),
  });
}
