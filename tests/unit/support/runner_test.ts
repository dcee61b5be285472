// The program itself, with test files that end in every bad way.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";

const MAIN = fromFileUrl(new URL("../../runner/main.ts", import.meta.url));
const GOOD = 'Deno.test("good", () => {});\n';

/** Runs a test file; answers the exit code and the lines. */
async function run(
  text: string,
  ...flags: string[]
): Promise<{ readonly code: number; readonly lines: readonly string[] }> {
  const directory = await Deno.makeTempDir();
  try {
    const path = join(directory, "x_test.ts");
    await Deno.writeTextFile(path, text);
    const { code, stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", "--allow-all", MAIN, "quick", ...flags, path],
      // What these files hold starts no program.
      env: { AMOF_BIN: "none" },
      stderr: "null",
    }).output();
    return { code, lines: new TextDecoder().decode(stdout).trimEnd().split("\n") };
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

Deno.test("a run that passes is its count alone, and a filter is handed on", async () => {
  const two = `${GOOD}Deno.test("bad", () => { throw new Error("no"); });\n`;
  const { code, lines } = await run(two, "--", "--filter", "good");
  assertEquals(lines.slice(-1), ["1 passed, 0 failed"]);
  assertEquals([code, lines.length], [0, 3]);
});

Deno.test("a failure is shown with its name, file, message and difference", async () => {
  const assertModule = new URL("../../support/std/assert.ts", import.meta.url).href;
  const { code, lines } = await run(
    `import { assertEquals } from "${assertModule}";\n` +
      'Deno.test("bad", () => assertEquals({ a: 1 }, { a: 2 }));\n',
  );
  assertEquals([code, lines.at(-1)], [1, "0 passed, 1 failed"]);
  const text = lines.join("\n");
  for (const part of ["FAILED  bad", "x_test.ts:2:6", "Values are not equal", "-     a: 1,"]) {
    assertStringIncludes(text, part);
  }
});

for (
  const [what, bad, said] of [
    ["throws while it is loaded", 'throw new Error("at load");', "at load"],
    ["imports what is not there", 'import "./nothing.ts";', "nothing.ts"],
    ["cannot be parsed", "syntax error here;", "SyntaxError"],
    ["ends the runner", 'Deno.test("end", () => Deno.kill(Deno.pid, "SIGKILL"));', "137"],
    ["holds no test", null, "No test ran."],
  ] as const
) {
  Deno.test(`a test file that ${what} is no success`, async () => {
    const { code, lines } = await run(bad === null ? "export {};\n" : `${GOOD}${bad}\n`);
    assertEquals(code, 1);
    assertStringIncludes(lines.join("\n"), said);
    assert(/^\d+ passed, \d+ failed$/.test(lines.at(-1) ?? ""));
    assertEquals(lines.at(-1)?.endsWith(" 0 failed"), bad === null);
  });
}
