/**
 * Consent: who is asked, who is not, and what a token is worth, from outside.
 *
 * @module
 */

import {
  assert,
  assertEquals,
  assertMatch,
  assertNotEquals,
  assertNotMatch,
  assertStringIncludes,
} from "@std/assert";
import { join } from "@std/path";
import { DatabaseSync } from "node:sqlite";
import { ahead } from "../support/ahead.ts";
import { pick, rows } from "../support/answers.ts";
import { END_OF_INPUT, INTERRUPT, Typist } from "../support/terminal.ts";
import { type Ran, World } from "../support/world.ts";

/** Terminals are POSIX matters. */
const POSIX = Deno.build.os !== "windows";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Whether the commit of the clone is on the remote. */
async function isPushed(world: World): Promise<boolean> {
  const head = await world.git(world.clone("api"), "rev-parse", "HEAD");
  const refs = await world.git(join(world.remotes, "api.git"), "for-each-ref");
  return refs.includes(head);
}

/** Asks for a push without consent; answers the token. */
async function token(world: World, ...args: string[]): Promise<string> {
  const ran = await world.amof(["push", "--json", ...args]);
  assertEquals(ran.code, 4);
  return String(pick(ran.json(), "confirmation", "token"));
}

function confirm(
  world: World,
  text: string,
  options: { cwd?: string; env?: Record<string, string> } = {},
): Promise<Ran> {
  return world.amof(["confirm", text, "--json"], options);
}

/** What the audit log says of the calls of one tool, oldest first: decision, way, outcome. */
function audit(world: World, tool: string): string[] {
  using database = new DatabaseSync(join(world.directory, "state", "state", "amof.db"), {
    readOnly: true,
  });
  return database.prepare("SELECT decision, way, outcome FROM audit WHERE tool = ? ORDER BY id")
    .all(tool).map((row) => `${row["decision"]} ${row["way"]} ${row["outcome"]}`);
}

Deno.test("amof push without a terminal is refused with the missing flag and a token", async () => {
  await using world = await ahead();
  const before = await world.fingerprint();
  const json = await world.amof(["push", "--json"]);
  assertEquals(json.code, 4);
  assertEquals(pick(json.json(), "error"), "confirmation_required");
  assertMatch(String(pick(json.json(), "hint")), /--yes/);
  assertEquals(pick(json.json(), "repos_affected"), ["api"]);
  const request = pick(json.json(), "confirmation");
  assertMatch(String(pick(request, "token")), UUID);
  assertEquals(pick(request, "type"), "simple");
  assertEquals(pick(request, "tool"), "amof_push_ecosystem");
  assertEquals(pick(request, "typed_value_required"), false);
  assertEquals(pick(request, "preview", "repos", 0, "ahead"), 1);
  const made = Date.parse(String(pick(json.json(), "_context", "timestamp")));
  const lifetime = Date.parse(String(pick(request, "expires_at"))) - made;
  assert(lifetime > 290_000 && lifetime <= 300_000);
  const human = await world.amof(["push"]);
  assertEquals(human.code, 4);
  assertEquals(human.stdout, "");
  assertMatch(
    human.stderr,
    /^hint: Consent now: amof push --yes\nConsent within 5 minutes: amof confirm [0-9a-f-]{36}$/m,
  );
  assertStringIncludes(human.stderr, "api  feature/T-1 → origin  (1 commit ahead, new branch)");
  assertEquals(await world.changesSince(before), []);
});

Deno.test("amof push --yes needs no other consent", async () => {
  await using world = await ahead();
  const ran = await world.amof(["push", "--yes", "--json"]);
  assertEquals(ran.code, 0);
  assert(await isPushed(world));
  const run = await world.amof(["runs", "status", String(pick(ran.json(), "run_id")), "--json"]);
  assertEquals(pick(run.json(), "status"), "success");
  assertEquals(audit(world, "amof_push_ecosystem"), ["accepted flag ok"]);
});

Deno.test("amof discard with a wrong name is refused with a fresh request, however often it is repeated", async () => {
  await using world = await ahead();
  for (const name of ["Demo", "Demo", "dem"]) {
    const ran = await world.amof(["discard", "--confirm-name", name, "--json"]);
    assertEquals([ran.code, pick(ran.json(), "error")], [4, "type_to_confirm_failed"]);
    assertMatch(String(pick(ran.json(), "confirmation", "token")), UUID);
  }
  assert(await world.exists(world.clone("api")));
  assertEquals(
    audit(world, "amof_discard_ecosystem"),
    Array(3).fill("wrong_name flag type_to_confirm_failed"),
  );
  const fresh = await world.amof(["discard", "--confirm-name", "Demo", "--json"]);
  const token = String(pick(fresh.json(), "confirmation", "token"));
  const ran = await world.amof(["confirm", token, "--confirm-name", "demo", "--json"]);
  assertEquals(ran.code, 0, ran.stderr);
  assertEquals(await world.exists(world.workspace()), false);
});

Deno.test("amof push does not take a piped y for consent", async () => {
  await using world = await ahead();
  const ran = await world.amof(["push"], { stdin: "y\ny\n" });
  assertEquals(ran.code, 4);
  assertEquals(await isPushed(world), false);
});

Deno.test("amof confirm works from everywhere in the same control repository", async () => {
  await using world = await ahead();
  const places = [
    { cwd: world.clone("api") },
    { cwd: world.directory, env: { AMOF_ROOT: world.control } },
    { cwd: join(world.control, "ecosystems", "demo") },
  ];
  for (const place of places) {
    await world.git(world.clone("api"), "commit", "--quiet", "--allow-empty", "-m", "More");
    const ran = await confirm(world, await token(world), place);
    assertEquals(ran.code, 0, ran.stdout);
    assert(await isPushed(world));
  }
});

Deno.test("amof confirm is worth nothing in another control repository, and stays good in its own", async () => {
  await using world = await ahead();
  await using other = await World.withEcosystem({ repos: [] });
  const made = await token(world);
  const env = { AMOF_HOME: join(world.directory, "state") };
  const foreign = await other.amof(["confirm", made, "--json"], { env });
  assertEquals(foreign.code, 4);
  assertEquals(pick(foreign.json(), "error"), "confirmation_invalid");
  const nowhere = await confirm(world, made, { cwd: world.directory });
  assertEquals(nowhere.code, 4);
  assertEquals(await isPushed(world), false);
  assertEquals((await confirm(world, made)).code, 0);
});

Deno.test("amof confirm is worth nothing to another user", async () => {
  await using world = await ahead();
  const made = await token(world);
  const ran = await confirm(world, made, { env: { USER: "somebody" } });
  assertEquals(ran.code, 4);
  assertEquals(pick(ran.json(), "error"), "confirmation_invalid");
  assertEquals(await isPushed(world), false);
});

Deno.test("amof confirm refuses when things have changed, says what, and offers a fresh token", async () => {
  await using world = await ahead();
  const stale = await token(world);
  await world.git(world.clone("api"), "commit", "--quiet", "--allow-empty", "-m", "Unseen");
  const ran = await confirm(world, stale);
  assertEquals(ran.code, 4);
  assertEquals(pick(ran.json(), "error"), "confirmation_stale");
  const changed = rows(ran.json(), "details", "changed");
  assertEquals(changed.find((change) => change["path"] === "repos[api].ahead"), {
    path: "repos[api].ahead",
    before: 1,
    after: 2,
  });
  assert(changed.some((change) => change["path"] === "repos[api].head"));
  assertEquals(await isPushed(world), false);
  const fresh = String(pick(ran.json(), "confirmation", "token"));
  assertNotEquals(fresh, stale);
  // What was typed is the token that no longer counts.
  assertEquals(pick(ran.json(), "hint"), `Consent within 5 minutes: amof confirm ${fresh}`);
  assertEquals(pick(ran.json(), "confirmation", "how"), [`amof confirm ${fresh}`]);
  assertEquals(pick((await confirm(world, stale)).json(), "error"), "confirmation_invalid");
  assertEquals((await confirm(world, fresh)).code, 0);
  assert(await isPushed(world));
});

Deno.test("amof confirm of a push with --commit covers exactly the contents that were previewed", async () => {
  await using world = await ahead();
  const file = join(world.clone("api"), "new.txt");
  await Deno.writeTextFile(file, "harmless\n");
  const stale = await token(world, "--commit");
  await Deno.writeTextFile(file, "something else\n");
  const ran = await confirm(world, stale);
  assertEquals(ran.code, 4);
  assertEquals(pick(ran.json(), "error"), "confirmation_stale");
  assertMatch(String(pick(ran.json(), "details", "changed", 0, "path")), /changes_digest/);
  assertEquals(await isPushed(world), false);
});

Deno.test("amof confirm refuses a wrong token and tells nothing about others", async () => {
  await using world = await ahead();
  const live = await token(world);
  for (
    const wrong of [
      "nonsense",
      "00000000-0000-4000-8000-000000000000",
      live.slice(0, 8),
      `${live}0`,
    ]
  ) {
    const json = await confirm(world, wrong);
    assertEquals(json.code, 4, wrong);
    assertEquals(pick(json.json(), "error"), "confirmation_invalid");
    assertNotMatch(json.stdout + json.stderr, new RegExp(`${live.slice(9)}(?!0)`));
  }
  assertEquals((await world.amof(["confirm"])).code, 2);
  assertEquals(await isPushed(world), false);
  assertEquals((await confirm(world, live)).code, 0);
});

Deno.test("amof confirm refuses a token that has expired and offers a fresh one", async () => {
  await using world = await ahead();
  const late = await token(world);
  {
    using database = new DatabaseSync(join(world.directory, "state", "state", "amof.db"));
    database.exec("UPDATE confirmations SET expires_at = created_at - 1");
  }
  const ran = await confirm(world, late);
  assertEquals(ran.code, 4);
  assertEquals(pick(ran.json(), "error"), "confirmation_expired");
  assertEquals(await isPushed(world), false);
  assertEquals(
    (await confirm(world, String(pick(ran.json(), "confirmation", "token")))).code,
    0,
  );
});

Deno.test("amof confirm below mode execute does nothing and leaves the token good", async () => {
  await using world = await ahead();
  const made = await token(world);
  for (const mode of [["--mode", "ask"], ["--mode", "plan"], ["--dry-run"]]) {
    const ran = await world.amof([...mode, "confirm", made, "--json"]);
    assertEquals(ran.code, 4, mode.join(" "));
    assertEquals(pick(ran.json(), "error"), "mode_insufficient");
  }
  assertEquals(await isPushed(world), false);
  assertEquals((await confirm(world, made)).code, 0);
});

Deno.test("amof push keeps no token in readable form", async () => {
  await using world = await ahead();
  const made = await token(world);
  const stored = await world.contents(world.env["AMOF_HOME"] ?? "");
  assertStringIncludes(stored, "amof_push_ecosystem");
  assertEquals(stored.includes(made), false);
});

Deno.test("amof install asks for consent as well", async () => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  const before = await world.fingerprint();
  const ran = await world.amof(["install", "--json"]);
  assertEquals(ran.code, 4);
  assertEquals(await world.changesSince(before), []);
  assertEquals((await confirm(world, String(pick(ran.json(), "confirmation", "token")))).code, 0);
  assert(await world.exists(world.clone("api")));
});

Deno.test({
  name: "amof push at a terminal asks on standard error and runs on y",
  ignore: !POSIX, // terminals
  async fn() {
    await using world = await ahead();
    const typist = await Typist.start(world, ["push"]);
    await typist.sees("? [y/N] ");
    assertEquals(await isPushed(world), false);
    await typist.types("y\n");
    const end = await typist.ends();
    assertEquals(end.code, 0, end.screen);
    assertStringIncludes(end.screen, "Would push 1 repo.");
    assertStringIncludes(end.screen, "⚠ ");
    assertMatch(end.stdout, /^Pushed 1 repo successfully\./);
    assertNotMatch(end.stdout, /Proceed|Would push/);
    assert(await isPushed(world));
    assertEquals(audit(world, "amof_push_ecosystem"), ["accepted prompt ok"]);
  },
});

Deno.test({
  name: "amof push at a terminal refuses on n, on nothing, and at the end of input",
  ignore: !POSIX, // terminals
  async fn() {
    await using world = await ahead();
    for (const answer of ["n\n", "\n", "yep\n", "nyes\n", END_OF_INPUT]) {
      const typist = await Typist.start(world, ["push"]);
      await typist.sees("? [y/N] ");
      await typist.types(answer);
      const end = await typist.ends();
      assertEquals(end.code, 4, JSON.stringify(answer));
      assertEquals(end.stdout, "");
      assertMatch(end.screen, /^error: Push of demo (?:declined|cancelled) by user; nothing was/m);
      assertMatch(end.screen, /^hint: Repeat the command to be asked again/m);
    }
    assertEquals(await isPushed(world), false);
    assertEquals(audit(world, "amof_push_ecosystem"), [
      ...Array.from({ length: 4 }, () => "declined prompt confirmation_declined"),
      "cancelled prompt confirmation_cancelled",
    ]);
  },
});

Deno.test({
  name: "amof push at a terminal ends on Ctrl-C at the question",
  ignore: !POSIX, // terminals
  async fn() {
    await using world = await ahead();
    const typist = await Typist.start(world, ["push"]);
    await typist.sees("? [y/N] ");
    await typist.types(INTERRUPT);
    const end = await typist.ends();
    assertEquals(end.code, 130);
    assertMatch(end.screen, /^error: Push of demo cancelled by user; nothing was changed$/m);
    assertEquals(await isPushed(world), false);
  },
});

Deno.test({
  name: "amof push at a terminal ends well where somebody pushed the same while the person thought",
  ignore: !POSIX, // terminals
  async fn() {
    await using world = await ahead();
    const typist = await Typist.start(world, ["push"]);
    await typist.sees("? [y/N] ");
    assertEquals((await world.amof(["push", "--yes"])).code, 0);
    await typist.types("y\n");
    const end = await typist.ends();
    assertStringIncludes(end.stdout, "Things changed since the preview: nothing is left to do.");
    assertMatch(end.stdout, /^Pushed nothing: every repo is up to date\.$/m);
    assertNotMatch(end.screen, /Proceed with push\?$/m);
    assertEquals(end.code, 0);
  },
});

Deno.test({
  name: "amof push at a terminal refuses when things changed while the person thought",
  ignore: !POSIX, // terminals
  async fn() {
    await using world = await ahead();
    const typist = await Typist.start(world, ["push"]);
    await typist.sees("? [y/N] ");
    await world.git(world.clone("api"), "commit", "--quiet", "--allow-empty", "-m", "Unseen");
    await typist.types("y\n");
    const end = await typist.ends();
    assertEquals(end.code, 4);
    assertStringIncludes(end.screen, "Things changed since the preview; nothing was done");
    assertNotMatch(end.screen, /Proceed with push\?$/m);
    assertEquals(await isPushed(world), false);
  },
});

Deno.test({
  name: "amof push at a terminal never asks with --json, --no-input or in CI",
  ignore: !POSIX, // terminals
  async fn() {
    await using world = await ahead();
    const silent = [
      { args: ["push", "--json"], env: {} },
      { args: ["push", "--no-input"], env: {} },
      { args: ["push"], env: { CI: "true" } },
    ];
    for (const { args, env } of silent) {
      const typist = await Typist.start(world, args, { env });
      const end = await typist.ends();
      assertEquals(end.code, 4, args.join(" "));
      assertNotMatch(end.screen, /\[y\/N\]/);
      assertMatch(end.screen + end.stdout, /confirm/);
    }
    assertEquals(await isPushed(world), false);
  },
});

Deno.test({
  name: "amof push at a terminal does not ask when nothing is to be done or --yes is given",
  ignore: !POSIX, // terminals
  async fn() {
    await using world = await ahead();
    const agreed = await (await Typist.start(world, ["push", "--yes"])).ends();
    assertEquals(agreed.code, 0);
    assertNotMatch(agreed.screen, /\[y\/N\]/);
    const idle = await (await Typist.start(world, ["push"])).ends();
    assertEquals(idle.code, 0);
    assertNotMatch(idle.screen, /\[y\/N\]/);
  },
});

Deno.test("amof scope shows what waits, and amof confirm --cancel gives it up", async () => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  const asked = (await world.amof(["install", "--json"])).json();
  const token = String(pick(asked, "confirmation", "token"));
  const scope = (await world.amof(["-e", "demo", "scope", "--json"])).json();
  assertEquals(scope["root"], world.control);
  assertEquals(
    [scope["scope"], scope["ecosystem"], scope["breadcrumb"]],
    ["ecosystem", "demo", "global > demo"],
  );
  assertEquals(
    (await world.amof(["scope", "--json"], { cwd: world.directory, env: {} })).json()["root"],
    null,
  );
  assertEquals(scope["mode"], "execute");
  assertEquals(pick(scope, "pending_confirmations", 0, "tool"), "amof_install_ecosystem");
  assertMatch((await world.amof(["scope"])).stdout, /install ecosystem +demo +in 5 min/);
  // The flag may stand behind the token, too.
  const given = await world.amof(["confirm", token, "--cancel", "--json"]);
  assertEquals([given.code, given.json()["cancelled"]], [0, true]);
  assertEquals(
    (await world.amof(["confirm", token, "--json"])).json()["error"],
    "confirmation_invalid",
  );
  assertEquals(
    (await world.amof(["scope", "--json"])).json()["pending_confirmations"],
    [],
  );
});
