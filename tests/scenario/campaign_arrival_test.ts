/**
 * Commits of a campaign on their way home: shards that were begun twice, packs that somebody has changed, pushes that
 * were cut off and then merged.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { join } from "@std/path";
import { Bell } from "../engines/bell.ts";
import { GATE, release } from "../engines/failures.ts";
import { answerOf } from "../engines/suite.ts";
import type { Fields } from "../../src/base/object.ts";
import { rows, until } from "../support/answers.ts";
import { World } from "../support/world.ts";

const ignore = Deno.build.os === "windows"; // shell lines

function test(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ignore, fn });
}

/** The directory below the state files with the only entry that a folder there has. */
async function only(world: World, folder: string): Promise<string> {
  const path = join(world.env["AMOF_HOME"] ?? "", "state", folder);
  const names = (await Array.fromAsync(Deno.readDir(path))).filter((one) => one.isDirectory);
  assertEquals(names.length, 1);
  return join(path, names[0]?.name ?? "");
}

/** A campaign whose submitter was killed when the last repository waited and all others were told of. */
async function cutOff(repos: readonly string[], bell: Bell): Promise<World> {
  const world = await World.withEcosystem({ repos });
  await release(world, repos.slice(0, -1));
  const line = `${bell.line}${GATE}echo tidy >> README.md`;
  const child = world.start([
    ...["campaign", "start", "tidy", "-m", "Tidy up", "--shards", "1", "--json", "--shell", line],
  ]);
  const output = child.output();
  await until("the last one has begun", () => bell.heard.length === repos.length);
  child.kill("SIGKILL");
  await output;
  return world;
}

/** The file with the lines that the only shard has told. */
async function linesOf(world: World): Promise<string> {
  const results = join(await only(world, "engine"), "results");
  const [file] = await Array.fromAsync(Deno.readDir(results));
  return join(results, file?.name ?? "");
}

/** Waits until the only shard has told its end, and brings everything home. */
async function resumed(world: World, tamper: (file: string) => Promise<void>) {
  const file = await linesOf(world);
  await until(
    "the shard has ended",
    async () => (await Deno.readTextFile(file)).includes('"type":"end"'),
  );
  await tamper(file);
  // What has come home before is there, and would be found.
  await Deno.remove(join(await only(world, "campaigns"), "arrived"), { recursive: true })
    .catch(() => {});
  return await world.amof(["campaign", "update", "tidy", "--yes", "--json"]);
}

function states(ran: { json(): Fields }): Fields {
  return Object.fromEntries(
    rows(answerOf(ran.json()), "repos").map((row) => [row["repo"], row["state"]]),
  );
}

/** How many commits the branch of the campaign has; null where there is none. */
async function pushed(world: World, repo: string): Promise<number | null> {
  const ran = await world.command("git", [
    ...["-C", join(world.remotes, `${repo}.git`)],
    ...["rev-list", "--count", "main..campaign/tidy"],
  ]);
  return ran.code === 0 ? Number(ran.stdout) : null;
}

async function pushAll(world: World): Promise<void> {
  await world.amof(["campaign", "approve", "tidy", "--all", "--yes"]);
  const ran = await world.amof(["campaign", "push", "tidy", "--yes"]);
  assertEquals(ran.code, 0, ran.stderr);
}

test("a shard that was begun twice brings each commit home once", async () => {
  const repos = ["a", "b", "c"];
  using bell = new Bell();
  await using world = await cutOff(repos, bell);
  const file = await linesOf(world);
  const listed = await world.amof(["runs", "list", "--json"]);
  const [begun] = rows(answerOf(listed.json()), "runs");
  const stands = await world.amof(["runs", "status", String(begun?.["run_id"]), "--json"]);
  assertStringIncludes(stands.stdout, "then repeat: amof campaign status tidy");
  const { stdout } = await world.command("ps", ["-ww", "-eo", "pid,args"]);
  const shard = stdout.split("\n").find((line) =>
    line.includes("shard run --run") && line.includes(world.directory)
  );
  assert(shard !== undefined, stdout);
  Deno.kill(Number.parseInt(shard, 10), "SIGKILL");
  // What the first start has left half told is told again by the second, beside it.
  const update = world.amof(["campaign", "update", "tidy", "--yes", "--json"]);
  await until("it was begun again", () => bell.heard.length === repos.length + 1);
  // A third start of a shard that an engine has lost sight of tells the same.
  const again = file.replace(/\.[0-9a-f]{8}\.jsonl$/, ".0123abcd.jsonl");
  const text = await Deno.readTextFile(file);
  await Deno.writeTextFile(again, text.replace(/"attempt":"[^"]*"/g, '"attempt":"0123abcd"'));
  await release(world, repos);
  const ran = await update;
  assertEquals(ran.code, 0, ran.stdout + ran.stderr);
  assertEquals(states(ran), { a: "changed", b: "changed", c: "changed" });
  await pushAll(world);
  for (const repo of repos) assertEquals(await pushed(world, repo), 1);
});

/** The lines of a shard with those of one repository changed. */
function changed(text: string, repo: string, change: (line: Record<string, unknown>) => unknown) {
  return text.split("\n").map((one) => {
    if (one === "") return one;
    const line = JSON.parse(one);
    return JSON.stringify(line["repo"] === repo ? change(line) : line);
  }).join("\n");
}

/** The pack of a repository in the lines of a shard. */
function packIn(text: string, repo: string): Uint8Array {
  const lines = text.split("\n").filter(Boolean).map((one) => JSON.parse(one));
  const pieces = lines.filter((line) => line["type"] === "piece" && line["repo"] === repo);
  return Buffer.concat(pieces.map(({ data }) => Buffer.from(data, "base64")));
}

test("a pack that was changed on its way is told, and nothing of it is kept", async () => {
  // `b` has other bytes than were told, `c` brings what `d` has made, and `d` names another commit than it brings.
  const repos = ["a", "b", "c", "d", "z"];
  using bell = new Bell();
  await using world = await cutOff(repos, bell);
  await release(world, repos);
  const ran = await resumed(world, async (file) => {
    const text = await Deno.readTextFile(file);
    const other = new Uint8Array(packIn(text, "d"));
    const sha256 = createHash("sha256").update(other).digest("hex");
    let all = changed(
      text,
      "b",
      (line) =>
        line["type"] === "piece"
          ? { ...line, data: Buffer.from(new Uint8Array(20)).toString("base64") }
          : line,
    );
    all = changed(all, "c", (line) => {
      const change = line["change"] as Fields | undefined;
      if (change !== undefined) return { ...line, change: { ...change, sha256 } };
      if (line["type"] !== "piece") return line;
      return { ...line, sha256, n: 0, of: 1, data: Buffer.from(other).toString("base64") };
    });
    all = changed(all, "d", (line) => {
      const change = line["change"] as Fields | undefined;
      // As long as the names of these repositories are.
      const commit = "0123456789".repeat(7).slice(0, String(change?.["commit"]).length);
      return change === undefined ? line : { ...line, change: { ...change, commit } };
    });
    await Deno.writeTextFile(file, all);
  });
  assertEquals(ran.code, 5, ran.stdout);
  const told = rows(answerOf(ran.json()), "repos");
  assertEquals(states(ran), { a: "changed", b: "lost", c: "refused", d: "refused", z: "changed" });
  assertEquals(told.filter(({ commit }) => commit === null).length, 3);
  const why = Object.fromEntries(told.map((row) => [row["repo"], String(row["detail"])]));
  assertStringIncludes(why["b"] ?? "", "did not arrive whole");
  assertStringIncludes(why["c"] ?? "", "not the one that was agreed to");
  assertStringIncludes(why["d"] ?? "", "it is not in the pack");
  await pushAll(world);
  assertEquals(await Promise.all(repos.map((repo) => pushed(world, repo))), [
    1,
    null,
    null,
    null,
    1,
  ]);
  // Where nothing came home it is run again.
  const again = await world.amof(["campaign", "update", "tidy", "--yes", "--json"]);
  assertEquals(again.code, 0, again.stdout);
  await pushAll(world);
  for (const repo of repos) assertEquals(await pushed(world, repo), 1);
});
