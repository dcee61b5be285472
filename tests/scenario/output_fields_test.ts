/**
 * Parts of an answer: `--json=FIELD,…` and `--jq EXPR`.
 *
 * @module
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { pick } from "../support/answers.ts";
import { World } from "../support/world.ts";

Deno.test("--json=FIELD,… and --jq print parts of an answer, with its exit code", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await Deno.writeTextFile(`${world.clone("api")}/new.txt`, "new\n");
  const fields = await world.amof(["status", "--json=repos.name,summary"]);
  assertEquals(JSON.parse(fields.stdout), {
    repos: [{ name: "api" }, { name: "web" }],
    summary: pick(fields.json(), "summary"),
  });
  const names = await world.amof(["status", "--jq", ".repos[].name"]);
  assertEquals([names.code, names.stdout, names.stderr], [0, "api\nweb\n", ""]);
  const both = await world.amof(["status", "--json=repos.name", "--jq", "keys"]);
  assertEquals(both.stdout, '["repos"]\n');
  // A check that found something has answered, and says so with its number.
  const check = await world.amof(["status", "--check", "--jq", ".repos | length"]);
  assertEquals([check.code, check.stdout], [3, "2\n"]);
  // A refusal is told as it is told without them.
  const failing = await world.amof(["status", "--jq", '.repos[].name, error("x")']);
  assertEquals([failing.code, failing.stdout], [5, names.stdout]);
  assertStringIncludes(failing.stderr, '": x\n');
  assertStringIncludes(failing.stderr, "works on: amof status --json\n");
  const refused = await world.amof(["status", "-e", "demi", "--jq", ".repos[].name"]);
  assertEquals([refused.code, refused.stdout], [2, ""]);
  assertStringIncludes(refused.stderr, 'did you mean "demo"?');
  const whole = await world.amof(["status", "-e", "demi", "--json=repos"]);
  assertEquals([whole.code, whole.json()["error"]], [2, "ecosystem_not_found"]);

  const unknown = await world.amof(["status", "--json=repos.nam"]);
  assertEquals(unknown.code, 2);
  assertStringIncludes(String(unknown.json()["message"]), 'did you mean "name"?');
  const later = await world.amof(["journal", "add", "A note", "--json=fil"]);
  assertStringIncludes(String(later.json()["message"]), "What the command did is done");
  const noted = await world.amof(["journal", "add", "One more", "--jq", ".file, error(1)"]);
  assertStringIncludes(noted.stderr, "hint: See what it did: amof audit\n");
  assertEquals((await world.amof(["audit"])).code, 0);
  // An expression that is none stops the command before it begins.
  const wrong = await world.amof(["journal", "add", "Another", "--jq", ".file["]);
  assertEquals([wrong.code, wrong.stdout], [2, ""]);
  assertStringIncludes(wrong.stderr, "works on: amof journal add Another --json\n");
  const notes = await world.amof(["ecosystem", "describe", "--json"]);
  assertEquals(notes.stdout.includes("another"), false);
  const program = await world.amof(["completions", "bash", "--jq", "."]);
  assertStringIncludes(program.stderr, "amof completions prints a form of its own");
  const line = await world.amof(["complete", "--", "status", "--json=summary,"]);
  assertStringIncludes(line.stdout, "--json=summary,_context\t");
  // What its own answers have comes first, and all of it can be asked for.
  const rows = await world.amof(["complete", "--", "status", "--json=repos.na"]);
  assertStringIncludes(rows.stdout, "--json=repos.name\n");
  const words = await world.amof(["complete", "--", "status", "--json="]);
  const offered = words.stdout.trim().split("\n").map((row) => row.replace(/\t.*/, "").slice(7));
  assertEquals([offered[0], offered.at(-1)], ["repos", "suggested_actions"]);
  const all = await world.amof(["status", `--json=${offered.join()}`]);
  assertEquals(all.code, 0, all.stdout);
  // What only other calls of the command have is null.
  const tickets = await world.amof(["status", "--json=repos.ticket", "--jq", ".repos[0]"]);
  assertEquals(tickets.stdout, '{"ticket":null}\n');
});
