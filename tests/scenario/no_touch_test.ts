/**
 * `guardrails.no_touch_paths` from outside: what is guarded is neither sent nor committed.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { McpClient } from "../support/mcp_client.ts";
import { Typist } from "../support/terminal.ts";
import { type Ran, World } from "../support/world.ts";

const GUARDED = 'guardrails: {no_touch_paths: ["secrets/**", "*.lock"]}\n';

function guarded(...repos: string[]): Promise<World> {
  return World.installed({ repos: repos.length === 0 ? ["api"] : repos, extra: GUARDED });
}

/** Writes a file of a clone, its directories too. */
async function put(world: World, repo: string, file: string, text = "text\n"): Promise<void> {
  const path = join(world.clone(repo), file);
  await Deno.mkdir(join(path, ".."), { recursive: true });
  await Deno.writeTextFile(path, text);
}

async function commit(world: World, repo: string, message: string): Promise<void> {
  await world.git(world.clone(repo), "add", "--all");
  await world.git(world.clone(repo), "commit", "--quiet", "-m", message);
}

function push(world: World, ...args: string[]): Promise<Ran> {
  return world.amof(["push", "--yes", "--json", ...args]);
}

/** The row of a repository, wherever the answer has it. */
function row(ran: Ran, repo = "api"): Record<string, unknown> {
  const json = ran.json();
  const found = rows(json, ...(pick(json, "result", "repos") ? ["result", "repos"] : ["repos"]));
  return found.find((entry) => entry["name"] === repo) ?? {};
}

function refs(world: World, repo = "api"): Promise<string> {
  return world.git(join(world.remotes, `${repo}.git`), "for-each-ref");
}

/** A push that must be held back because of a path, with nothing sent. */
async function held(world: World, path: string, ...args: string[]): Promise<Ran> {
  const before = await refs(world);
  const ran = await push(world, ...args);
  assertEquals([row(ran)["result"], row(ran)["code"]], ["skipped", "push_refused"], ran.stdout);
  assertStringIncludes(String(row(ran)["detail"]), path);
  assertStringIncludes(String(row(ran)["fix"]), "--allow-no-touch");
  assertEquals(await refs(world), before);
  return ran;
}

/** Moves the remote's main on, as a colleague would. */
async function colleague(world: World, file: string, text = "theirs\n"): Promise<void> {
  const seed = join(world.directory, "seed", "api");
  await Deno.mkdir(join(seed, file, ".."), { recursive: true });
  await Deno.writeTextFile(join(seed, file), text);
  await world.git(seed, "add", "--all");
  await world.git(seed, "commit", "--quiet", "-m", `Their ${file}`);
  await world.git(seed, "push", "--quiet", join(world.remotes, "api.git"), "main");
  await world.git(world.clone("api"), "fetch", "--quiet");
}

Deno.test("amof push holds back commits that touch a no-touch path, and only that repository", async () => {
  await using world = await guarded("api", "web");
  await world.commitOnFeature("web");
  await world.commitOnFeature("api");
  await put(world, "api", "secrets/key.txt");
  await commit(world, "api", "Change a secret");
  const ran = await held(world, "secrets/key.txt (secrets/**, in ");
  assertEquals(ran.code, 5);
  assertEquals(row(ran, "web")["result"], "pushed");
  assertMatch(
    String(pick(ran.json(), "hint")),
    /amof push --repo api --allow-no-touch secrets\/key\.txt/,
  );
});

Deno.test("amof push counts what was changed and changed back, removed or renamed", async () => {
  await using world = await guarded();
  await colleague(world, "secrets/old.txt", "a text that git can recognise again\n".repeat(9));
  await world.git(world.clone("api"), "merge", "--quiet", "--ff-only", "origin/main");
  const start = await world.git(world.clone("api"), "rev-parse", "HEAD");
  const deeds: readonly (readonly [string, () => Promise<unknown>])[] = [
    ["removed", () => world.git(world.clone("api"), "rm", "--quiet", "secrets/old.txt")],
    ["renamed", () => world.git(world.clone("api"), "mv", "secrets/old.txt", "open.txt")],
    ["touched and taken back", async () => {
      await put(world, "api", "secrets/old.txt", "x\n");
      await commit(world, "api", "Touch");
      await world.git(world.clone("api"), "revert", "--no-edit", "HEAD");
      await put(world, "api", "free.txt");
    }],
  ];
  for (const [index, [what, deed]] of deeds.entries()) {
    await world.git(world.clone("api"), "switch", "--quiet", "-c", `feature/T-${index}`, start);
    await deed();
    await commit(world, "api", what);
    await held(world, "secrets/old.txt");
  }
});

Deno.test("amof push takes merges of what is on the remote, and holds back merges with changes of their own", async () => {
  await using world = await guarded();
  const clone = world.clone("api");
  await world.commitOnFeature("api");
  const start = await world.git(clone, "rev-parse", "HEAD");
  await colleague(world, "secrets/theirs.txt");
  await world.git(clone, "merge", "--quiet", "--no-edit", "origin/main");
  const merged = await push(world);
  assertEquals(row(merged)["result"], "pushed", merged.stdout);
  // A merge that drops what a colleague changed there.
  await world.git(clone, "switch", "--quiet", "-c", "feature/T-2", start);
  await world.git(clone, "merge", "--quiet", "--no-edit", "-s", "ours", "origin/main");
  await held(world, "secrets/theirs.txt");
  // A merge that makes something else of it.
  await world.git(clone, "switch", "--quiet", "-c", "feature/T-3", start);
  await world.git(clone, "merge", "--quiet", "--no-commit", "origin/main");
  await put(world, "api", "secrets/theirs.txt", "mine\n");
  await commit(world, "api", "Merge with a change");
  await held(world, "secrets/theirs.txt");
});

Deno.test("amof push --allow-base counts what comes to the base branch, on the remote already or not", async () => {
  await using world = await guarded();
  const clone = world.clone("api");
  await world.git(clone, "switch", "--quiet", "-c", "feature/T-1");
  await put(world, "api", "a.lock");
  await commit(world, "api", "Lock");
  await world.git(clone, "push", "--quiet", "origin", "feature/T-1");
  await world.git(clone, "switch", "--quiet", "main");
  await world.git(clone, "merge", "--quiet", "--ff-only", "feature/T-1");
  await held(world, "a.lock (*.lock", "--allow-base");
});

Deno.test("amof push --commit commits nothing that is guarded, staged or not, under any name", async () => {
  await using world = await guarded();
  const clone = world.clone("api");
  await world.git(clone, "switch", "--quiet", "-c", "feature/T-1");
  await put(world, "api", "README.md", "changed\n");
  await put(world, "api", "deep/Secret.LOCK");
  const head = await world.git(clone, "rev-parse", "HEAD");
  await held(world, "deep/Secret.LOCK (*.lock)", "--commit");
  await Deno.remove(join(clone, "deep"), { recursive: true });
  await put(world, "api", "secrets/staged.txt");
  await world.git(clone, "add", "secrets/staged.txt");
  await held(world, "secrets/staged.txt", "--commit");
  assertEquals(await world.git(clone, "rev-parse", "HEAD"), head);
  await world.git(clone, "rm", "--quiet", "--force", "secrets/staged.txt");
  assertEquals(row(await push(world, "--commit"))["result"], "pushed");
});

Deno.test({
  name: "amof push --commit does not send what a hook has put into the commit",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using world = await guarded();
    const clone = world.clone("api");
    await world.hook(
      join(clone, ".git"),
      "pre-commit",
      "mkdir -p secrets && echo x > secrets/made.txt && git add secrets",
    );
    await world.git(clone, "switch", "--quiet", "-c", "feature/T-1");
    await put(world, "api", "README.md", "changed\n");
    const before = await refs(world);
    const ran = await push(world, "--commit");
    assertEquals(row(ran)["result"], "failed", ran.stdout);
    assertStringIncludes(String(row(ran)["detail"]), "secrets/made.txt");
    assertEquals(await refs(world), before);
  },
});

Deno.test("--allow-no-touch names what goes, and needs the typed name of the ecosystem", async () => {
  await using world = await guarded();
  await world.commitOnFeature("api");
  await put(world, "api", "secrets/a.txt");
  await put(world, "api", "secrets/b.txt");
  await commit(world, "api", "Secrets");
  const one = await push(world, "--allow-no-touch", "secrets/a.txt");
  assertStringIncludes(String(row(one)["detail"]), "secrets/b.txt");
  const both = ["--allow-no-touch", "secrets/a.txt", "--allow-no-touch", "secrets/b.txt"];
  const unconfirmed = await push(world, ...both);
  assertEquals(unconfirmed.code, 4, unconfirmed.stdout);
  assertEquals(pick(unconfirmed.json(), "confirmation", "type"), "type");
  const shown = rows(unconfirmed.json(), "confirmation", "preview", "repos");
  assertEquals(
    rows(shown[0], "no_touch").map(({ path }) => path),
    ["secrets/a.txt", "secrets/b.txt"],
  );
  const wrong = await world.amof(["push", ...both, "--confirm-name", "other", "--json"]);
  assertEquals(wrong.code, 4);
  const typed = await world.amof(["push", ...both, "--confirm-name", "demo", "--json"]);
  assertEquals([typed.code, row(typed)["result"]], [0, "pushed"], typed.stdout);
});

Deno.test("--allow-no-touch takes a glob as the manifest has it", async () => {
  await using world = await guarded();
  await world.commitOnFeature("api");
  for (const name of ["a", "b", "c", "d"]) await put(world, "api", `secrets/${name}.txt`);
  await commit(world, "api", "Secrets");
  const refused = await held(world, "and 1 more file");
  assertStringIncludes(String(row(refused)["fix"]), "--allow-no-touch 'secrets/**'");
  const args = ["push", "--allow-no-touch", "secrets/**", "--confirm-name", "demo", "--json"];
  assertEquals((await world.amof(args)).code, 0);
});

Deno.test({
  name: "at a terminal --allow-no-touch asks for the name",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using world = await guarded();
    await world.commitOnFeature("api");
    await put(world, "api", "secrets/a.txt");
    await commit(world, "api", "Secrets");
    const typist = await Typist.start(world, ["push", "--allow-no-touch", "secrets/a.txt"]);
    await typist.sees("secrets/a.txt is a no-touch path");
    await typist.sees("Type the ecosystem name to proceed: ");
    await typist.types("demo\n");
    assertEquals((await typist.ends()).code, 0);
  },
});

Deno.test("over MCP nothing lets a no-touch path go, and no tool says that something could", async () => {
  await using world = await guarded();
  await world.commitOnFeature("api");
  await put(world, "api", "secrets/a.txt");
  await commit(world, "api", "Secrets");
  const before = await refs(world);
  await using client = new McpClient(world, ["--mode", "execute"]);
  await client.initialize();
  const plain = await client.call("amof_push_ecosystem", { ecosystem: "demo", confirm: true });
  assertEquals(plain.isError, true);
  assertStringIncludes(JSON.stringify(plain.data), "secrets/a.txt");
  for (const name of ["allow_no_touch", "allow_secrets"]) {
    const answer = await client.call("amof_push_ecosystem", {
      ecosystem: "demo",
      [name]: ["secrets/a.txt"],
      mode: "plan",
    });
    assertEquals(answer.data["error"], "tool_not_available", answer.text);
  }
  const listed = await client.request("tools/list", {});
  assert(!JSON.stringify(listed).includes("allow_no_touch"));
  assertEquals(await refs(world), before);
});

Deno.test("amof ecosystem create commits no file that any ecosystem guards, unless a person lets it go", async () => {
  const extra = 'guardrails: {no_touch_paths: ["ecosystems/**/kb/**"]}\n';
  await using world = await World.withEcosystem({ repos: ["api"], extra });
  const before = await world.fingerprint();
  const create = ["ecosystem", "create", "other", "--json"];
  const refused = await world.amof([...create, "--commit"]);
  assertEquals([refused.code, pick(refused.json(), "error")], [1, "push_refused"]);
  assertStringIncludes(String(pick(refused.json(), "message")), "ecosystems/other/kb/README.md");
  await using client = new McpClient(world, ["--mode", "execute"]);
  await client.initialize();
  const call = { name: "other", commit: true, allow_no_touch: ["ecosystems/**/kb/**"] };
  const answer = await client.call("amof_create_ecosystem", call);
  assertEquals(answer.data["error"], "tool_not_available", answer.text);
  assertEquals(await world.changesSince(before), []);
  const letGo = [...create, "--commit", "--allow-no-touch", "ecosystems/**/kb/**"];
  assertEquals((await world.amof(letGo)).code, 0);
  assertEquals((await world.amof(["ecosystem", "create", "third", "--yes"])).code, 0);
});

Deno.test("amof install --push pushes no commit that touches what an ecosystem guards", async () => {
  const extra = 'guardrails: {no_touch_paths: ["legal/**"]}\n';
  await using world = await World.withEcosystem({ repos: ["api"], extra });
  const remote = join(world.remotes, "control.git");
  await world.git(world.directory, "init", "--quiet", "--bare", remote);
  await world.git(world.control, "remote", "add", "origin", remote);
  await world.git(world.control, "push", "--quiet", "origin", "HEAD");
  await Deno.mkdir(join(world.control, "legal"));
  await Deno.writeTextFile(join(world.control, "legal", "terms.txt"), "terms\n");
  await world.git(world.control, "add", "legal");
  await world.git(world.control, "commit", "--quiet", "-m", "Terms");
  const before = await world.fingerprint();
  const refused = await world.amof(["install", "--push", "--yes", "--json"]);
  assertEquals([refused.code, pick(refused.json(), "error")], [1, "push_refused"]);
  assertStringIncludes(String(pick(refused.json(), "message")), "legal/terms.txt");
  assertEquals(await world.changesSince(before), []);
  const allowed = ["install", "--push", "--allow-no-touch", "legal/**", "--json"];
  assertEquals((await world.amof([...allowed, "--confirm-name", "demo"])).code, 0);
  assertStringIncludes(await world.git(remote, "for-each-ref"), "refs/heads/workspace/demo");
});

Deno.test("a guard that cannot be understood is an error of the manifest", async () => {
  await using world = await World.withEcosystem({
    repos: ["api"],
    extra: 'guardrails: {no_touch_paths: ["!x", "", "a/../../b"]}\n',
  });
  const ran = await world.amof(["manifest", "validate", "--json"]);
  assertEquals(ran.code, 3);
  assertEquals(rows(ran.json(), "errors").map(({ path, line }) => [path, line]), [
    ["guardrails.no_touch_paths[0]", 7],
    ["guardrails.no_touch_paths[1]", 7],
    ["guardrails.no_touch_paths[2]", 7],
  ]);
});

Deno.test("amof archive brings no guarded file to a remote, whatever branch it is on", async () => {
  await using world = await guarded();
  await world.git(world.clone("api"), "switch", "--quiet", "-c", "topic");
  await put(world, "api", "secrets/key");
  await commit(world, "api", "Key");
  const before = [await refs(world), await world.fingerprint()] as const;
  const ran = await world.amof(["archive", "--yes", "--json"]);
  assertEquals(ran.code, 1, ran.stdout);
  const [problem] = rows(ran.json(), "details", "repos");
  assertEquals([problem?.["name"], problem?.["code"]], ["api", "push_refused"], ran.stdout);
  assertStringIncludes(String(problem?.["problem"]), "secrets/key");
  assertEquals([await refs(world), await world.changesSince(before[1])], [before[0], []]);
});
