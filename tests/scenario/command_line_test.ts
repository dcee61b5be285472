/**
 * The command line as such: flags and words in any order, lines that can be pasted.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { parseInvocation } from "../../src/pipeline/line/parse.ts";
import { takeWords } from "../../src/pipeline/line/words.ts";
import { pick } from "../support/answers.ts";
import { Screen } from "../support/screen.ts";
import { World } from "../support/world.ts";
import { split } from "./_command_line.ts";
import { ENTRIES } from "../support/loaded.ts";

Deno.test("a switch without a default is turned off by name, and left to the manifest where nobody names it", async () => {
  const entry = ENTRIES.find(({ path }) => path.join(" ") === "pr open");
  assert(entry !== undefined);
  for (
    const [rest, draft] of [[[], undefined], [["--draft=false"], false], [
      ["--draft"],
      true,
    ]] as const
  ) assertEquals((await parseInvocation(entry, [...rest])).args["draft"], draft);
});

Deno.test("amof takes flags before, between and after its words", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  const orders = [
    ["--json", "ecosystem", "list"],
    ["ecosystem", "--json", "list"],
    ["ecosystem", "list", "--json"],
    ["--root", world.control, "ecosystem", "list", "--json"],
    ["ecosystem", `--root=${world.control}`, "list", "--json"],
    ["-q", "ecosystem", "list", "-v", "--json"],
    ["--include-retired", "ecosystem", "list", "--json"],
  ];
  for (const args of orders) {
    const ran = await world.amof(args);
    assertEquals(ran.code, 0, args.join(" "));
    assertEquals(pick(ran.json(), "ecosystems", 0, "name"), "demo");
  }
});

Deno.test("amof takes everything behind -- for words, never for flags", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  const described = await world.amof(["ecosystem", "describe", "--json", "--", "demo"]);
  assertEquals(described.code, 0);
  assertEquals((await world.amof(["--", "ecosystem", "list"])).code, 0);
  const dashed = await world.amof(["ecosystem", "describe", "--json", "--", "--json"]);
  assertEquals(dashed.code, 2);
  assertEquals(pick(dashed.json(), "error"), "ecosystem_not_found");
  const extra = await world.amof(["status", "--", "--check"]);
  assertEquals(extra.code, 2);
  assertStringIncludes(extra.stderr, 'Cannot use "--check": amof status takes no arguments');
});

Deno.test({
  name: "amof suggests commands that can be pasted",
  ignore: Deno.build.os === "windows", // a pseudo-terminal
  async fn() {
    await using world = await World.installed({ repos: ["api"] });
    await world.commitOnFeature("api");
    // Only a person is told what could come next.
    const screen = Screen.start(world, ["status"], { columns: 100, rows: 60 });
    assertEquals(await screen.ends(), 0);
    const suggested = screen.all().split("\n").map((line) => line.trimEnd())
      .filter((line) => line.startsWith("  amof "));
    assert(suggested.length > 0, screen.all());
    for (const line of suggested) {
      const taken = takeWords(split(line.slice("  amof ".length)), ENTRIES);
      const entry = ENTRIES.find((candidate) => candidate.path.join(" ") === taken.words.join(" "));
      if (entry === undefined) throw new Error(`There is no such command: ${line}`);
      await parseInvocation(entry, taken.rest);
    }
  },
});
