// Temporary files of killed commands, and of living ones: who finds them, who removes them, and who leaves them alone.

import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { rows } from "../support/answers.ts";
import { World } from "../support/world.ts";

/** The number of a process that has ended. */
async function deadPid(): Promise<number> {
  const child = new Deno.Command("git", { args: ["--version"], stdout: "null" }).spawn();
  await child.status;
  return child.pid;
}

async function leave(directory: string, name: string): Promise<string> {
  await Deno.mkdir(directory, { recursive: true });
  await Deno.writeTextFile(join(directory, name), "half");
  return join(directory, name);
}

Deno.test("amof doctor --repair removes what killed commands were writing, and nothing that is being written", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const dead = await deadPid();
  const unfinished = join(world.env["AMOF_HOME"] ?? "", "state", "unfinished");
  const left = [
    await leave(join(world.clone("api"), ".git", "amof"), `${dead}-${crypto.randomUUID()}`),
    await leave(join(world.control, ".git", "amof"), `${dead}-${crypto.randomUUID()}`),
    await leave(world.clone("api"), `.amof-${dead}-${crypto.randomUUID()}.tmp`),
    await leave(unfinished, `.amof-${dead}-${crypto.randomUUID()}.tmp`),
  ];
  const alive = [
    await leave(join(world.clone("api"), ".git", "amof"), `${Deno.pid}-${crypto.randomUUID()}`),
    await leave(unfinished, `.amof-${Deno.pid}-${crypto.randomUUID()}.tmp`),
    await leave(join(world.clone("api"), ".git", "amof"), "notes.txt"),
  ];
  const found = await world.amof(["doctor", "--json"]);
  assertEquals(found.code, 3, found.stdout);
  const check = rows(found.json(), "checks").find((entry) => entry["name"] === "temporary files");
  assertStringIncludes(String(check?.["detail"]), "4 files");
  assertEquals((await world.amof(["doctor", "--repair"])).code, 0);
  for (const path of left) assertEquals(await world.exists(path), false, path);
  for (const path of alive) assertEquals(await world.exists(path), true, path);
});

Deno.test("amof push --commit does not commit a temporary file of a killed command", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.commitOnFeature("api");
  await Deno.mkdir(join(world.clone("api"), "src"));
  await leave(join(world.clone("api"), "src"), `.amof-4000000-${crypto.randomUUID()}.tmp`);
  await Deno.writeTextFile(join(world.clone("api"), "src", "a.txt"), "a\n");
  const ran = await world.amof(["push", "--commit", "-m", "Add a", "--yes"]);
  assertEquals(ran.code, 0, ran.stdout + ran.stderr);
  const files = await world.git(world.clone("api"), "ls-tree", "-r", "--name-only", "HEAD");
  assertEquals(files.split("\n").filter((name) => name.startsWith("src/")), ["src/a.txt"]);
});

Deno.test("a command that changes something leaves alone what another is just noting down", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const unfinished = join(world.env["AMOF_HOME"] ?? "", "state", "unfinished");
  const others = [
    await leave(unfinished, `.${crypto.randomUUID()}.${crypto.randomUUID()}.tmp`),
    await leave(unfinished, `.amof-${Deno.pid}-${crypto.randomUUID()}.tmp`),
  ];
  const forgotten = await leave(unfinished, crypto.randomUUID());
  assertEquals((await world.amof(["ticket", "start", "T-1"])).code, 0);
  for (const path of others) assertEquals(await world.exists(path), true, path);
  assertEquals(await world.exists(forgotten), false);
});

Deno.test("a failure of the file system names the file and not where on the machine it lies", async () => {
  await using world = await World.installed({ repos: ["api"] });
  // A file where the directory of the state file should be.
  await Deno.remove(join(world.workspace(), ".amof"), { recursive: true });
  await Deno.writeTextFile(join(world.workspace(), ".amof"), "in the way");
  const ran = await world.amof(["install", "--repair", "--yes", "--json"]);
  assertEquals(ran.code, 1, ran.stdout);
  assertEquals(ran.json()["error"], "file_failed", ran.stdout);
  assertStringIncludes(String(ran.json()["message"]), ".amof");
  assertEquals(String(ran.json()["message"]).includes(world.directory), false, ran.stdout);
});
