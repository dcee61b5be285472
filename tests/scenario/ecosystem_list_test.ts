/**
 * `amof ecosystem list`, from outside.
 *
 * @module
 */

import { assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { pick, rows } from "../support/answers.ts";
import { World } from "../support/world.ts";
import { Hold } from "./hold.ts";

/** Hooks and detached process groups are POSIX matters. */
const POSIX = Deno.build.os !== "windows";

Deno.test("amof ecosystem list counts repositories, notes and journal entries", async () => {
  await using world = await World.withEcosystem();
  const files = [
    "kb/README.md",
    "kb/login.md",
    "kb/deep/hidden.md",
    "kb/picture.png",
    "journal/one.md",
    "journal/two.md",
    "journal/three.md",
    "journal/archived/old.md",
  ];
  for (const file of files) await world.write(`control/ecosystems/demo/${file}`, "text\n");
  const ran = await world.amof(["ecosystem", "list", "--json"]);
  assertEquals(ran.code, 0);
  assertEquals(pick(ran.json(), "ecosystems"), [{
    name: "demo",
    path: "ecosystems/demo",
    description: "The demo ecosystem",
    repos_count: 3,
    repos: ["api", "web", "docs"],
    kb_files_count: 2,
    journal_files_count: 3,
    active_tasks: 0,
    provisioner: null,
    retired: false,
    valid: true,
    installed: false,
    ticket_workspaces: [],
  }]);
});

Deno.test("amof ecosystem list tells which ecosystems are installed", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  await world.addEcosystem("shop", { repos: [] });
  await world.install("shop");
  const ran = await world.amof(["ecosystem", "list", "--json"]);
  const installed = rows(ran.json(), "ecosystems").map((row) => [row["name"], row["installed"]]);
  assertEquals(installed, [["demo", false], ["shop", true]]);
});

Deno.test({
  name: "amof ecosystem list counts a running push as an active task",
  ignore: !POSIX, // the push is held by a shell hook
  async fn() {
    await using world = await World.installed({ repos: ["api"] });
    await world.commitOnFeature("api");
    await using hold = await Hold.on(world, "api");
    await hold.push();
    const during = await world.amof(["ecosystem", "list", "--json"]);
    assertEquals(pick(during.json(), "ecosystems", 0, "active_tasks"), 1);
    await hold.finish();
    const after = await world.amof(["ecosystem", "list", "--json"]);
    assertEquals(pick(after.json(), "ecosystems", 0, "active_tasks"), 0);
  },
});

Deno.test("amof ecosystem list shows an invalid manifest, marked, among the others", async () => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  await world.write("control/ecosystems/broken/ecosystem.yaml", "name: broken\n");
  await world.write("control/ecosystems/garbled/ecosystem.yaml", "name: [\n");
  const json = await world.amof(["ecosystem", "list", "--json"]);
  assertEquals(json.code, 0);
  assertEquals(
    rows(json.json(), "ecosystems").map((row) => [row["name"], row["valid"]]),
    [["broken", false], ["demo", true], ["garbled", false]],
  );
  const human = await world.amof(["ecosystem", "list"]);
  assertMatch(human.stdout, /^broken .*INVALID/m);
  assertMatch(human.stdout, /^demo +1 +no /m);
});

Deno.test("amof ecosystem list counts a manifest with mere warnings as valid", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  await world.write(
    "control/ecosystems/demo/ecosystem.yaml",
    `name: demo\nrepos:\n  - name: api\n    url: ${world.url("api")}\n`,
  );
  const ran = await world.amof(["ecosystem", "list", "--json"]);
  assertEquals(pick(ran.json(), "ecosystems", 0, "valid"), true);
  assertEquals(pick(ran.json(), "ecosystems", 0, "repos"), ["api"]);
});

Deno.test("amof ecosystem list hides retired ecosystems unless asked for them", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  await world.addEcosystem("attic", { repos: [], extra: "retired: true\n" });
  const names = async (...args: string[]) => {
    const ran = await world.amof(["ecosystem", "list", "--json", ...args]);
    return rows(ran.json(), "ecosystems").map((row) => row["name"]);
  };
  assertEquals(await names(), ["demo"]);
  assertEquals(await names("--include-retired"), ["attic", "demo"]);
  const human = await world.amof(["ecosystem", "list", "--include-retired"]);
  assertStringIncludes(human.stdout, "(retired)");
});

Deno.test("amof ecosystem list tells how to begin when there is no ecosystem", async () => {
  await using world = await World.make();
  await world.makeControl();
  const ran = await world.amof(["ecosystem", "list"]);
  assertEquals(ran.code, 0);
  assertStringIncludes(ran.stdout, "Found no ecosystems.");
  assertStringIncludes(ran.stdout, "amof ecosystem create NAME");
});

Deno.test("amof ecosystem list passes over directories that are no ecosystems", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  await world.write("control/ecosystems/README.md", "# Here they are\n");
  await world.write("control/ecosystems/empty/kb/note.md", "text\n");
  await world.write("control/ecosystems/.hidden/ecosystem.yaml", "name: hidden\nrepos: []\n");
  await world.write("control/ecosystems/two words/ecosystem.yaml", "name: two\nrepos: []\n");
  const ran = await world.amof(["ecosystem", "list", "--json"]);
  assertEquals(rows(ran.json(), "ecosystems").map((row) => row["name"]), ["demo"]);
});

Deno.test("amof ecosystem list cleans a hostile description for readers", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  await world.write(
    "control/ecosystems/demo/ecosystem.yaml",
    'name: demo\ndescription: "a\\e[31mred\\u202Egnp\\nsecond line"\nrepos: []\n',
  );
  const ran = await world.amof(["ecosystem", "list"]);
  assertStringIncludes(ran.stdout, "aredgnp second line");
  // deno-lint-ignore no-control-regex -- control characters are what must not be there
  assertNotMatch(ran.stdout, /[\u001b\u202e]/);
});
