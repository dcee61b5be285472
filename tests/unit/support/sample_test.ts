// Whatever a test leaves out of the usual run is tried by the thorough one.

import { assert, assertEquals } from "@std/assert";
import { dirname, fromFileUrl, join, relative } from "@std/path";

const ROOT = fromFileUrl(new URL("../../..", import.meta.url));
const SAMPLE = join(ROOT, "tests", "support", "sample.ts");

/** The modules of the tests below a directory. */
function modulesBelow(directory: string): string[] {
  return [...Deno.readDirSync(directory)].flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory) return modulesBelow(path);
    return entry.name.endsWith(".ts") ? [path] : [];
  });
}

/** What a module imports by a path of its own. */
function importsOf(path: string): string[] {
  const found = Deno.readTextFileSync(path).matchAll(/from "(\.[^"]+)"|import\("(\.[^"]+)"\)/g);
  return [...found].map(([, named = "", called = ""]) => join(dirname(path), named || called));
}

/** The test files that take a sample, themselves or by what they import of the tests. */
function sampling(): string[] {
  const modules = modulesBelow(join(ROOT, "tests"));
  const takers = new Set([SAMPLE]);
  for (let known = 0; known < takers.size;) {
    known = takers.size;
    for (const path of modules) {
      if (importsOf(path).some((imported) => takers.has(imported))) takers.add(path);
    }
  }
  return [...takers].filter((path) => path.endsWith("_test.ts"))
    .map((path) => relative(ROOT, path).replaceAll("\\", "/"));
}

Deno.test("deno task test:thorough runs every test file that takes a sample", () => {
  const { tasks } = JSON.parse(Deno.readTextFileSync(join(ROOT, "deno.json"))) as {
    tasks: Record<string, { command: string }>;
  };
  const run = tasks["test:thorough"]?.command.split(" ")
    .filter((word) => word.startsWith("tests/") && !word.startsWith("tests/support/")) ?? [];
  const isRun = (path: string) =>
    run.some((named) => path === named || path.startsWith(`${named}/`));
  const takers = sampling();
  assert(takers.length > 20);
  assertEquals(takers.filter((path) => !isRun(path)), []);
});
