// How often a plan asks the file system: that is what a plan of many modules takes its time for.

import { assert, assertEquals } from "@std/assert";
import { Listing } from "../../../../../src/apps/agentpack/io.ts";
import type { Files, System } from "../../../../../src/base/system/mod.ts";
import { readOnly } from "../../../../../src/base/system/read_only.ts";
import { plan } from "../../../../support/pack_calls.ts";
import { setUp } from "../../../../support/pack_fixture.ts";
import { PackWorld } from "../../../../support/pack_world.ts";

/** How often a plan looked, found nothing, and resolved links on the way to a path. */
interface Looks {
  found: number;
  absent: number;
  resolved: number;
}

/** A world that counts looks at single paths. */
function counting(system: System, looks: Looks): System {
  const { files } = system;
  const look = (work: Files["stat" | "lstat"]) => async (path: string) => {
    const info = await work(path);
    looks[info === null ? "absent" : "found"]++;
    return info;
  };
  return {
    ...system,
    files: {
      ...files,
      stat: look(files.stat),
      lstat: look(files.lstat),
      realPath(path) {
        looks.resolved++;
        return files.realPath(path);
      },
    },
  };
}

/** Writes a configuration with so many modules of each type. */
async function modules(world: PackWorld, count: number): Promise<void> {
  const lines: string[] = [];
  for (let index = 0; index < count; index++) {
    await world.write(`m/s${index}/SKILL.md`, `---\nname: s${index}\ndescription: One\n---\n`);
    await world.write(`m/i${index}/AGENTS.md`, `# ${index}\n`);
    await world.write(`m/p${index}.md`, "Text\n");
    const line = (id: string, type: string, path: string) =>
      `\n  - { id: "${type}:${id}", type: ${type}, tags: [base], source: { local_path: { path: m/${path} } } }`;
    lines.push(
      line(`s${index}`, "skill", `s${index}`),
      line(`p${index}`, "prompt", `p${index}.md`),
    );
    lines.push(line(`i${index}`, "instructions", `i${index}`));
  }
  await setUp(world, undefined, lines.join(""));
}

async function looksOf(world: PackWorld): Promise<Looks & { readonly created: number }> {
  const looks = { found: 0, absent: 0, resolved: 0 };
  const pack = world.pack(readOnly(counting(world.system, looks), () => true));
  const { data } = await plan(pack, {});
  return { ...looks, created: data.summary.create };
}

Deno.test("a plan asks once for what is not there, however many modules would go there", async () => {
  await using world = await PackWorld.inMemory();
  await modules(world, 2);
  const few = await looksOf(world);
  await modules(world, 30);
  const many = await looksOf(world);
  assert(few.created * 10 < many.created);
  assertEquals(many.absent, few.absent);
  assertEquals(many.resolved, few.resolved);
  // One look for each module's source, and one for each file of those that are directories.
  assertEquals(many.found - few.found, 28 * 5);
});

Deno.test("Listing tells that a name is not there only where every file system would agree", () => {
  const listing = (...names: string[]) =>
    new Listing(names.map((name) => ({ name, kind: "file" as const })));
  const plain = listing("Changelog.md", "notes");
  assertEquals(plain.kindOf("notes"), "file");
  assertEquals(plain.kindOf("other.md"), "absent");
  for (const name of ["changelog.md", "notes.", "NOTES~1", "not es", "n\u014dtes"]) {
    assertEquals(plain.kindOf(name), "unknown", name);
  }
  assertEquals(listing("\u212aelvin").kindOf("kelvin"), "unknown");
  assertEquals(listing().kindOf("n\u014dtes"), "absent");
});
