/**
 * The first commands that the README tells a newcomer, as they stand there: from clones that lie somewhere to a status.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { blocks } from "../support/documents.ts";
import { quoted } from "../support/pseudo_terminal.ts";
import { program, World } from "../support/world.ts";

/** A file of the repository. */
function read(name: string): Promise<string> {
  return Deno.readTextFile(new URL(`../../${name}`, import.meta.url));
}

Deno.test("the README begins with one command that shows the main job, and one that tests", async () => {
  const [beginning = ""] = (await read("README.md")).split("\n<picture>");
  const [block = ""] = blocks(beginning, "sh");
  const [demo = "", test = "", ...others] = block.trimEnd().split("\n")
    .map((line) => line.split(/ +# /)[0] ?? "");
  assertEquals(others, []);
  const version = /^npx -y (deno@\d+\.\d+\.\d+) /.exec(demo)?.[1] ?? "";
  // `deno task` fetches whatever tests need besides; quietly, where it is told so.
  assertEquals(demo, `npx -y ${version} run --quiet -A main.ts demo`);
  assertEquals(test, `npx -y ${version} task --quiet test`);
  const { tasks, unstable } = JSON.parse(await read("deno.json"));
  assert("test" in tasks);
  // Else a run fetches all that is in the lock file.
  assert(unstable.includes("npm-lazy-caching"), unstable);
});

/** The lines below the heading, without what is said about them. */
async function firstLines(): Promise<string[]> {
  const [, section = ""] = (await read("README.md")).split("\n## Begin\n");
  const [block = ""] = blocks(section, "sh");
  return block.trimEnd().split("\n").map((line) => line.split(/ +# /)[0] ?? "");
}

Deno.test({
  name: "a newcomer's clones are taken over by the first commands of the README",
  ignore: Deno.build.os === "windows", // sh
  async fn() {
    await using world = await World.make();
    const home = world.env["HOME"] ?? "";
    const code = join(home, "code");
    await Deno.mkdir(code, { recursive: true });
    for (const repo of ["api", "web"]) {
      await world.addRemote(repo);
      await world.git(code, "clone", "--quiet", world.url(repo), repo);
    }
    const lines = await firstLines();
    assert(lines.length >= 4, lines.join("\n"));
    // Whoever reads is asked, and says yes.
    const amof = `amof() { ${program().map(quoted).join(" ")} "$@"; }`;
    const script = lines.map((line) =>
      /^amof (?:ecosystem|install)/.test(line) ? `${line} --yes` : line
    );
    const ran = await world.command("sh", ["-ec", [amof, ...script].join("\n")], { cwd: home });
    assertEquals(ran.code, 0, `${ran.stdout}${ran.stderr}`);
    for (const words of ["Created shop with 2 repos", "Checked 2 repos: all OK"]) {
      assertStringIncludes(ran.stdout, words);
    }
    // The clones stayed where they were.
    const link = join(home, "control", "worktrees", "shop", "repos", "api");
    assertEquals(await Deno.realPath(link), await Deno.realPath(join(code, "api")));
  },
});
