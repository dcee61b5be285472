// The pages of reference cannot lie: every example is taken by the program, every name is in the source, and every exit
// code that a story ends with stands at its command.

import { assert, assertEquals } from "@std/assert";
import { parse as parseYaml } from "@std/yaml";
import { z } from "zod";
import { takeWords } from "../../src/pipeline/line/words.ts";
import { configSchema } from "../../src/commands/release/config_schema.ts";
import { aliasProblem, checkValue, fromText } from "../../src/state/settings/check.ts";
import { settingNamed, SETTINGS } from "../../src/state/settings/mod.ts";
import { splitWords } from "../../src/base/text/shells.ts";
import { checkManifestText } from "../../src/workspace/manifest/manifest.ts";
import { fileLinks, MODULES, READINGS, REFERENCE, STORIES } from "../support/documents.ts";
import { ENTRIES } from "../support/loaded.ts";
import { ENVIRONMENT_TABLES } from "./reference/environment.ts";
import { exitCodesOf } from "./reference/exit_codes.ts";
import { configMembers, manifestMembers } from "./reference/manifest.ts";
import {
  around,
  CONFIG_EXAMPLES,
  MANIFEST_EXAMPLES,
  SAMPLE_MANIFEST,
} from "./reference/manifest_examples.ts";
import { asObject, type Member } from "./reference/schema_types.ts";
import { SETTING_EXAMPLES } from "./reference/settings.ts";

/** The example of a key, as the one member that it is. */
function exampleOf({ path }: Member, examples: Readonly<Record<string, string>>) {
  const parsed = asObject(parseYaml(examples[path] ?? ""));
  assertEquals(Object.keys(parsed), [path.split(".").at(-1)], path);
  return parsed;
}

Deno.test("every key of a manifest has an example, which is taken without a warning", async () => {
  const members = await manifestMembers();
  assertEquals(members.map(({ path }) => path), Object.keys(MANIFEST_EXAMPLES));
  const base = asObject(parseYaml(SAMPLE_MANIFEST));
  const problems: unknown[] = [];
  for (const member of members) {
    const document = around(member.path, exampleOf(member, MANIFEST_EXAMPLES), base);
    if (member.path === "ecosystem") delete document["name"];
    // What these examples name is there.
    if (member.path === "tasks.NAME.repos" || member.path === "tasks.NAME.tags") {
      const { repos } = document as { repos: object[] };
      document["repos"] = [{ ...repos[0], name: "svc-api", url: "git@host:svc-api.git", tags: ["backend"] }, ...repos];
    }
    const { manifest, errors, warnings } = await checkManifestText(JSON.stringify(document), "shop");
    const odd = warnings.filter(({ message }) => !message.endsWith("is an older alias"));
    if (manifest === null || odd.length > 0) problems.push([member.path, errors, odd]);
  }
  assertEquals(problems, []);
});

Deno.test("every key of amof.yaml has an example that is taken", async () => {
  const members = await configMembers();
  assertEquals(members.map(({ path }) => path), Object.keys(CONFIG_EXAMPLES));
  for (const member of members) {
    configSchema(z).parse(around(member.path, exampleOf(member, CONFIG_EXAMPLES), {}));
  }
});

Deno.test("an example that is none is noticed", async () => {
  const base = asObject(parseYaml(SAMPLE_MANIFEST));
  for (const [path, parsed] of [
    ["repos[].clone", { clone: "all" }],
    ["repos[].tag", { tag: ["a"] }],
    ["workspace.per_ticket", { per_ticket: "perhaps" }],
  ] as const) {
    const { manifest, warnings } = await checkManifestText(JSON.stringify(around(path, parsed, base)), "shop");
    assert(manifest === null || warnings.length > 0, path);
  }
});

Deno.test("every setting has a command line that sets it to a value it can have", () => {
  assertEquals(Object.keys(SETTING_EXAMPLES), SETTINGS.map(({ name }) => name));
  for (const line of Object.values(SETTING_EXAMPLES)) {
    // What has members of its own is written in the file.
    if (line === "amof config edit") continue;
    const [, , , name = "", value = ""] = splitWords(line) ?? [];
    const alias = /^aliases\.(.*)$/.exec(name)?.[1];
    if (alias !== undefined) {
      assertEquals(aliasProblem(alias, value), null, line);
      continue;
    }
    const setting = settingNamed(name);
    assert(setting !== undefined, line);
    assert("value" in checkValue(setting, fromText(setting, value), "/home/me"), line);
  }
});

Deno.test("the page of the environment names every variable of the source, and no other", () => {
  const told = ENVIRONMENT_TABLES.flatMap(([, rows]) => rows.map(([name]) => name));
  const own = /["'`$ {.([](?:env:)?((?:AMOF|AGENTPACK|STOCKTRIM)_[A-Z][A-Z_]*[A-Z])\b(?!_)/g;
  /** What amof says to itself: names of constants, and what a notification is handed on with. */
  const internal = /^(?:AMOF_(?:COMMANDS|SKILL|NOTE_TITLE|NOTE_TEXT)|AGENTPACK_CODES)$/;
  const read = new Set<string>();
  for (const { name, text } of MODULES) {
    if (!name.startsWith("src/")) continue;
    for (const [, variable = ""] of text.matchAll(own)) read.add(variable);
  }
  assertEquals(
    [...read].filter((name) => !told.includes(name) && !internal.test(name)).sort(),
    [],
  );
  assertEquals(
    [...new Set(told)].filter((name) => !read.has(name) && /^(?:AMOF|AGENTPACK|STOCKTRIM)_/.test(name)),
    [],
  );
});

Deno.test("every exit code of a story stands at its command", () => {
  const unsaid = new Set<string>();
  let checked = 0;
  for (const { text } of STORIES) {
    let line = "";
    for (const each of text.split("\n")) {
      if (each.startsWith("  $ ")) line = each.slice(4);
      const code = /^ {2}\[exit (\d+)\]$/.exec(each)?.[1];
      // 137 is the shell's word for a program that was killed.
      if (code === undefined || code === "137" || !line.startsWith("amof ")) continue;
      const { words } = takeWords((splitWords(line) ?? []).slice(1), ENTRIES);
      const entry = ENTRIES.find(({ path }) => path.join(" ") === words.join(" "));
      if (entry === undefined || (entry.kind === "program" && entry.delegate !== undefined)) continue;
      checked++;
      if (!exitCodesOf(entry).includes(Number(code))) unsaid.add(`amof ${words.join(" ")}: ${code}`);
    }
  }
  assert(checked > 40, String(checked));
  assertEquals([...unsaid], []);
});

Deno.test("the pages of reference are linked from where readers come in", () => {
  const linksOf = (name: string) =>
    fileLinks(READINGS.find((each) => each.name === name) ?? { name, text: "" }).map(({ file }) => file);
  const inner = REFERENCE.filter(({ name }) => /reference\/[^/]+\//.test(name));
  for (const entrance of ["README.md", ".github/ARCHITECTURE.md"]) {
    const linked = new Set(linksOf(entrance));
    const missing = REFERENCE.filter((each) => !inner.includes(each) && !linked.has(each.name));
    assertEquals(missing.map(({ name }) => name), [], entrance);
  }
  const listed = new Set(
    ["commands", "tools"].flatMap((name) => linksOf(`.github/docs/reference/${name}.md`)),
  );
  assertEquals(inner.filter(({ name }) => !listed.has(name)).map(({ name }) => name), []);
});

Deno.test("every line of the threat model names a test that there is", () => {
  const text = READINGS.find(({ name }) => name === ".github/SECURITY.md")?.text ?? "";
  const claims = text.split("\n").filter((line) =>
    line.startsWith("| ") && !/^\| (?:it cannot|-)/.test(line)
  );
  assert(claims.length > 40, String(claims.length));
  const gone = claims.filter((line) => {
    const [, name = "", file = ""] = /\[([^\]]+)\]\(\.\.\/(tests\/[\w/]+_test\.ts)\)/.exec(line) ?? [];
    const source = MODULES.find((each) => each.name === file)?.text ?? "";
    return name === "" || !source.includes(name);
  });
  assertEquals(gone, []);
});
