// Covers the manual pages: one for each command, with all of its flags, in an order and a language that readers of
// manual pages know.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { manualPages } from "../../.github/packaging/man/all.ts";
import { text, typed, words } from "../../.github/packaging/man/mdoc.ts";
import { manualName } from "../../.github/packaging/man/pages.ts";
import { ENTRIES } from "../../src/doors/cli/entries.ts";
import { commandPage, visible } from "../../src/doors/cli/asked_page.ts";
import { PACK_ENTRIES } from "../../src/doors/agentpack/cli/parse.ts";
import { isInstalled } from "./_programs.ts";

const RELEASE = { version: "1.2.3", date: new Date("2026-03-02T00:00:00Z") };

Deno.test("every command has a manual page with all of its flags and examples", async () => {
  const pages = new Map((await manualPages(RELEASE)).map((page) => [page.name, page.source]));
  for (const entry of visible(ENTRIES)) {
    const page = await commandPage(await entry.load(), ENTRIES);
    const source = pages.get(manualName("amof", entry.path)) ?? "";
    for (const flag of page.flags) assertStringIncludes(source, `Fl ${typed(`-${flag.name}`)}`);
    for (const example of page.examples) {
      assertStringIncludes(
        source.replaceAll("\\-", "-").replaceAll("\\e", "\\"),
        `$ amof ${example}`,
      );
    }
  }
  for (const entry of PACK_ENTRIES) assert(pages.has(manualName("agentpack", entry.path)));
});

Deno.test("the overview names every page, and no page is made twice", async () => {
  const pages = await manualPages(RELEASE);
  const names = pages.map((page) => page.name);
  assertEquals(names, [...new Set(names)]);
  for (const program of ["amof", "agentpack"]) {
    const overview = pages.find((page) => page.name === program)?.source ?? "";
    for (const name of names.filter((each) => each.startsWith(`${program}-`))) {
      assertStringIncludes(overview, `.It Xr ${typed(name)} 1\n`);
    }
  }
});

Deno.test("pages have the day of the release, and are the same whenever they are made", async () => {
  const pages = await manualPages(RELEASE);
  assertEquals(await manualPages(RELEASE), pages);
  for (const { source } of pages) {
    assertStringIncludes(source, ".Dd March 2, 2026\n");
    assertStringIncludes(source, ".Os amof 1.2.3\n");
  }
});

Deno.test({
  name: "mandoc and groff find nothing to say of any page",
  ignore: !isInstalled("mandoc") || !isInstalled("groff"),
  async fn() {
    const directory = await Deno.makeTempDir();
    const files: string[] = [];
    for (const { name, source } of await manualPages(RELEASE)) {
      files.push(`${directory}/${name}.1`);
      await Deno.writeTextFile(`${directory}/${name}.1`, source);
    }
    for (
      const [command, ...args] of [["mandoc", "-T", "lint", "-W", "warning"], [
        "groff",
        "-mdoc",
        "-ww",
        "-z",
      ]]
    ) {
      const { stdout, stderr } = await new Deno.Command(command ?? "", {
        args: [...args, ...files],
      }).output();
      assertEquals(new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr), "");
    }
    await Deno.remove(directory, { recursive: true });
  },
});

Deno.test("what is special to a manual page is text in it", () => {
  assertEquals(text(".amof stays"), ["\\&.amof stays"]);
  assertEquals(text("'So does' this. And this."), ["\\&'So does' this.", "And this."]);
  assertEquals(text("a\\b --flag ↑"), ["a\\eb \\-\\-flag \\[u2191]"]);
  assertEquals(words('Nm "x" .'), "\\&Nm \\(dqx\\(dq \\&.");
  assertEquals(typed("ticket-start"), "ticket\\-start");
});
