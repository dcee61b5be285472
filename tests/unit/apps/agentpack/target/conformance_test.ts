// The conformance table: every output of every target, type by type and scope by scope, is deployed, listed
// in the manifest of its root, and found clean.

import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { MODULE_TYPES, SCOPES, TARGET_NAMES } from "../../../../../src/apps/agentpack/names.ts";
import { type OutputRow, outputTable } from "../../../../../src/apps/agentpack/target/table.ts";
import { plan, status } from "../../../../support/pack_calls.ts";
import { deploy, MODULES, setUp } from "../../../../support/pack_fixture.ts";
import { PackWorld } from "../../../../support/pack_world.ts";

const SUBAGENT = `
  - { id: "subagent:reviewer", type: subagent, tags: [base], source: { local_path: { path: m/reviewer.md } } }`;
const SERVER = `
  - { id: "mcp_server:search", type: mcp_server, tags: [base], source: { local_path: { path: m/search.json } } }`;

const HOOK = `
  - { id: "hook:check", type: hook, tags: [base], source: { local_path: { path: m/check.json } } }`;

const PROJECT_ONLY = ["cursor", "vscode", "jetbrains", "zed"];

/** The places that help names, as they are in a world. */
function place(world: PackWorld, text: string): string {
  const named = text
    .replace("<codex_home>", join(world.home, ".codex"))
    .replace("<project>", world.project)
    .replace("<root>", join(world.project, "export"));
  return named.startsWith("~/") ? join(world.home, named.slice(2)) : named;
}

/** Whether a path is what help promises for an output. */
function fits(world: PackWorld, row: OutputRow, path: string): boolean {
  const pattern = place(world, row.output).replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
    .replace(/<file>|<skill_name>|<fs_key>|<name>/g, "[^/]+").replace("…", ".+");
  return new RegExp(`^${pattern}$`).test(path);
}

/** The configuration in which only this row writes, as far as switches go. */
function targetsFor(row: OutputRow): string {
  const others = outputTable().filter((one) => one.target === row.target && one.option !== null);
  const options = others.map((one) => `${one.option}: ${one.option === row.option}`);
  if (row.target === "export_dir") options.push("root: export");
  const scope = PROJECT_ONLY.includes(row.target) && row.scope === "user" ? "both" : row.scope;
  return `  ${row.target}: { mode: files, scope: ${scope}, options: { ${
    [...new Set(options)].join(", ")
  } } }`;
}

Deno.test("every target × type × scope of the table writes what help says, and nothing else", async () => {
  const rows = outputTable();
  assertEquals(new Set(rows.map((row) => row.target)), new Set(TARGET_NAMES));
  for (const row of rows) {
    const name = `${row.target} ${row.type} ${row.scope} ${row.option}`;
    await using world = await PackWorld.inMemory();
    await setUp(world, targetsFor(row), MODULES + SUBAGENT + SERVER + HOOK);
    await world.write("m/reviewer.md", "---\nname: reviewer\ndescription: Reviews\n---\nRead.\n");
    await world.write("m/search.json", '{ "command": "search-mcp" }\n');
    await world.write("m/check.json", '{ "hooks": [{ "event": "stop", "command": "check" }] }\n');
    await deploy(world, { profile: "more" });
    const written = Object.keys(await world.tree(world.home, world.project))
      .filter((path) => !path.endsWith("/") && !path.includes(".agentpack.manifest"));
    const mine = written.filter((path) => fits(world, row, path));
    assert(mine.length > 0, `${name}: ${written.join("\n")}`);
    const sameSwitch = rows.filter((one) =>
      one.target === row.target && one.scope === row.scope && one.option === row.option
    );
    const others = written.filter((path) => !sameSwitch.some((one) => fits(world, one, path)));
    assertEquals(others, [], name);
    const root = place(world, row.root.replace(/,.*/, ""));
    const manifest = join(root, `.agentpack.manifest.${row.target}.json`);
    const listed = (JSON.parse(await world.read(manifest) ?? "{}") as {
      managed_files: { path: string; module_ids: string[] }[];
      managed_entries?: { path: string; module_ids: string[] }[];
    })[["mcp_server", "hook"].includes(row.type) ? "managed_entries" : "managed_files"] ?? [];
    for (const path of mine) {
      const entry = listed.find((one) => join(root, one.path) === path);
      assert(entry?.module_ids.some((id) => id.startsWith(`${row.type}:`)), `${name}: ${path}`);
    }
    const { data } = await status(world.reader(), { profile: "more" });
    assertEquals([data.drift, data.pending], [[], { create: 0, update: 0, delete: 0 }], name);
  }
});

Deno.test("what is not in the table writes nothing: every target × type × scope without a row", async () => {
  const rows = outputTable();
  let checked = 0;
  for (const target of TARGET_NAMES) {
    for (const scope of SCOPES.filter((one) => one !== "both")) {
      if (scope === "user" && PROJECT_ONLY.includes(target)) continue;
      for (const type of MODULE_TYPES) {
        const has = rows.some((row) =>
          row.target === target && row.type === type && row.scope === scope && row.default
        );
        if (has) continue;
        await using world = await PackWorld.inMemory();
        const only = MODULES.split("\n").filter((line) => line.includes(`"${type}:`)).join("\n");
        const options = target === "export_dir" ? ", options: { root: export }" : "";
        await setUp(world, `  ${target}: { mode: files, scope: ${scope}${options} }`, `\n${only}`);
        const { data } = await plan(world.reader(), { profile: "more" });
        assertEquals(data.changes, [], `${target} ${type} ${scope}`);
        checked++;
      }
    }
  }
  assert(checked >= 15, String(checked));
});
