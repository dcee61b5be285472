/**
 * A workspace and its manifest that have come apart: who tells, and what is to be done.
 *
 * @module
 */

import { assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { type Ran, World } from "../support/world.ts";

const FILE = "ecosystems/demo/ecosystem.yaml";

function edit(at: string, change: (text: string) => string): Promise<void> {
  const file = join(at, FILE);
  return Deno.readTextFile(file).then((text) => Deno.writeTextFile(file, change(text)));
}

/** What status, manifest validate and doctor say about it. */
async function told(world: World): Promise<string[]> {
  const status = await world.amof(["status", "--json"]);
  const validate = await world.amof(["manifest", "validate", "--json"]);
  const doctor = await world.amof(["doctor", "--json"]);
  assertEquals([status.code, validate.code, doctor.code], [0, 0, 0]);
  const warnings = (status.json()["warnings"] ?? []) as string[];
  const check = rows(doctor.json(), "checks").filter((entry) =>
    entry["name"] === "drift" && entry["level"] === "warning"
  );
  return [
    warnings.join("\n"),
    rows(validate.json(), "warnings").map(({ message, fix }) => `${message} ${fix}`).join("\n"),
    check.map(({ detail, fix }) => `${detail} ${fix}`).join("\n"),
  ];
}

Deno.test("an edit of the manifest in the workspace is told of, committed or not, with what to do", async () => {
  await using world = await World.installed({ repos: ["api"] });
  assertEquals(await told(world), ["", "", ""]);
  await edit(world.workspace(), (text) => text.replace("The demo", "My demo"));
  for (const text of await told(world)) {
    assertStringIncludes(text, `worktrees/demo/${FILE}`);
    assertStringIncludes(
      text,
      `git diff --no-index ${join(world.control, FILE)} ${join(world.workspace(), FILE)}`,
    );
  }
  await world.git(world.workspace(), "commit", "--quiet", "--all", "-m", "Edit aside");
  for (const text of await told(world)) {
    assertStringIncludes(text, `git -C ${world.control} merge workspace/demo`);
  }
  await world.git(world.control, "merge", "--quiet", "workspace/demo");
  assertEquals(await told(world), ["", "", ""]);
});

Deno.test("a manifest that is only older in the workspace is nothing to tell of", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await edit(world.control, (text) => text.replace("The demo", "My demo"));
  assertEquals(await told(world), ["", "", ""]);
  await world.git(world.control, "commit", "--quiet", "--all", "-m", "Edit");
  assertEquals(await told(world), ["", "", ""]);
});

Deno.test("a clone that left the manifest is told of by status and doctor until it is gone", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await edit(world.control, (text) => text.replace(/ {2}- name: web\n(?: {4}.*\n)+/, ""));
  const [status = "", validate, doctor = ""] = await told(world);
  assertEquals(validate, "");
  for (const text of [status, doctor]) {
    assertMatch(text, /1 clone that the manifest does not name: repos\/web; nothing syncs/);
    assertStringIncludes(text, `git -C ${world.clone("web")} status`);
  }
  const human = await world.amof(["status"]);
  assertMatch(
    human.stdout,
    /^⚠ 1 clone that the manifest does not name: .* pushes it\n {4}fix: name web in .*\n {9}See what /m,
  );
  // What is only there goes first, for who took the clone out of the manifest may have meant that.
  await world.git(world.clone("web"), "switch", "-q", "-c", "mine");
  await world.git(world.clone("web"), "commit", "-q", "--allow-empty", "-m", "Mine");
  const only = (await world.amof(["status"])).stdout;
  assertMatch(only, /repos\/web, with 1 commit that no remote has; nothing syncs/);
  assertMatch(only, /fix: send what is only there: git -C \S+ push origin HEAD$/m);
  assertMatch(only, /Then delete [^]*Or name web in the manifest again: amof repo add web /);
  await world.git(world.clone("web"), "push", "-q", "origin", "HEAD");
  await world.git(world.clone("web"), "switch", "-q", "main");
  const [again = ""] = /amof repo add .*$/m.exec(human.stdout) ?? [];
  assertEquals(again, `amof repo add web ${world.url("web")}`);
  assertEquals((await world.amof(again.split(" ").slice(1))).code, 0);
  assertStringIncludes((await world.amof(["status"])).stdout, "Checked 2 repos: all OK");
  assertEquals((await world.amof(["repo", "remove", "web", "--yes"])).code, 0);
  await Deno.remove(world.clone("web"), { recursive: true });
  assertEquals(await told(world), ["", "", ""]);
});

Deno.test("push and ticket end tell of commits that are only in a clone which left the manifest", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  assertEquals((await world.amof(["ticket", "start", "T-1", "--repo", "web"])).code, 0);
  await world.git(world.clone("web"), "commit", "-q", "--allow-empty", "-m", "Mine");
  await edit(world.control, (text) => text.replace(/ {2}- name: web\n(?: {4}.*\n)+/, ""));
  const said =
    /⚠ 1 clone that the manifest does not name: repos\/web, with 1 commit that no remote/;
  const push = await world.amof(["push"]);
  assertMatch(push.stdout, said);
  assertStringIncludes(push.stdout, "Pushed nothing: every repo of the manifest is up to date.");
  // Who names repositories asks for no others.
  assertNotMatch((await world.amof(["push", "--repo", "api"])).stdout, said);
  assertMatch((await world.amof(["ticket", "end", "T-1", "--dry-run"])).stdout, said);
  const end = await world.amof(["ticket", "end", "T-1"]);
  assertEquals(end.code, 0, end.stderr);
  assertMatch(end.stdout, /^web +feature\/T-1 +yes +the manifest has no such repository$/m);
  assertMatch(end.stdout, said);
  const [, send = ""] = /fix: send what is only there: git (.*)$/m.exec(end.stdout) ?? [];
  await world.git(world.directory, ...send.split(" "));
  const sent = await world.amof(["push"]);
  assertStringIncludes(sent.stdout, "Pushed nothing: every repo is up to date.");
  assertNotMatch(sent.stdout, said);
});

Deno.test("a clone that was renamed by hand is led back to its place, and named nowhere again", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await world.commitOnFeature("web");
  const [web, aside] = [world.clone("web"), `${world.clone("web")}2`];
  await Deno.rename(web, aside);
  const [warnings, , doctor = ""] = await told(world);
  // It is told of with the repository, and nobody is led to make another one.
  const { stdout } = await world.amof(["status"]);
  for (const text of [stdout, doctor]) {
    assertStringIncludes(text, "the clone of web was moved to repos/web2");
    assertStringIncludes(text, `mv ${aside} ${web}`);
    assertEquals(/amof repo add|delete/.test(text), false, text);
  }
  assertEquals([warnings, stdout.includes("amof sync")], ["", false], stdout);
  // One that was made beside it meanwhile has its address.
  assertEquals((await world.amof(["sync", "--quiet"])).code, 0);
  const beside = (await world.amof(["status"])).stdout;
  assertMatch(
    beside,
    /1 clone that the manifest does not name: repos\/web2, with 1 commit that .*\n {4}fix: send [^\n]*\n {9}See what is not/,
  );
  await Deno.remove(web, { recursive: true });
  await Deno.rename(aside, web);
  assertEquals(await told(world), ["", "", ""]);
});

Deno.test("amof sync brings the editor's workspace file up to date and leaves the rest of it alone", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const file = join(world.workspace(), "amof.demo.code-workspace");
  const sync = async (): Promise<Ran> => {
    const ran = await world.amof(["sync", "--json"]);
    assertEquals(ran.code, 0, ran.stdout);
    return ran;
  };
  const untouched = await Deno.readTextFile(file);
  await sync();
  assertEquals(await Deno.readTextFile(file), untouched);
  // Its owner has added a comment, a setting and a folder.
  const own = untouched
    .replace('"settings": {', '"settings": {\n    // mine\n    "editor.tabSize": 3,')
    .replace('"folders": [', '"folders": [\n    { "path": "../../notes" },');
  await Deno.writeTextFile(file, own);
  await world.addRemote("lib");
  await edit(
    world.control,
    (text) =>
      `${text.replace(/ {2}- name: web\n(?: {4}.*\n)+/, "")}  - name: lib\n    url: ${
        world.url("lib")
      }\n    branch: main\n`,
  );
  await Deno.remove(world.clone("web"), { recursive: true });
  await sync();
  const now = await Deno.readTextFile(file);
  assertStringIncludes(now, '// mine\n    "editor.tabSize": 3,');
  assertStringIncludes(now, '{ "path": "../../notes" }');
  const parsed = JSON.parse(now.replace("// mine", "")) as { folders: { path: string }[] };
  assertEquals(parsed.folders.map(({ path }) => path), [
    "../../notes",
    ".",
    "repos/api",
    "repos/lib",
  ]);
  // What was deleted stays deleted, and what is no such file stays as it is.
  await Deno.writeTextFile(file, "not json at all");
  await sync();
  assertEquals(await Deno.readTextFile(file), "not json at all");
  await Deno.remove(file);
  await sync();
  assertEquals(await world.exists(file), false);
});

Deno.test("a clone that could not come keeps its folder in the editor's file, and one that is new comes at its place", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const file = join(world.workspace(), "amof.demo.code-workspace");
  const before = await Deno.readTextFile(file);
  const remote = join(world.remotes, "api.git");
  await Deno.remove(world.clone("api"), { recursive: true });
  await Deno.rename(remote, `${remote}.away`);
  assertEquals((await world.amof(["sync", "--json"])).code, 5);
  assertEquals(await Deno.readTextFile(file), before);
  await Deno.rename(`${remote}.away`, remote);
  // In the manifest before the others.
  await world.addRemote("lib");
  await edit(
    world.control,
    (text) =>
      text.replace(
        "  - name: api\n",
        `  - name: lib\n    url: ${world.url("lib")}\n    branch: main\n  - name: api\n`,
      ),
  );
  assertEquals((await world.amof(["sync", "--json"])).code, 0);
  const { folders } = JSON.parse(await Deno.readTextFile(file)) as { folders: { path: string }[] };
  assertEquals(folders.map(({ path }) => path), [".", "repos/lib", "repos/api", "repos/web"]);
});

Deno.test("a clone whose origin is not the address of the manifest is told, with the command that mends just that", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await world.addRemote("moved");
  const file = "control/ecosystems/demo/ecosystem.yaml";
  const text = await Deno.readTextFile(join(world.directory, file));
  await world.write(file, text.replace(world.url("api"), world.url("moved")));
  const shown = await world.amof(["status", "--check"]);
  assertEquals(shown.code, 3, shown.stdout);
  assertMatch(shown.stdout, /^api .*OTHER_ADDRESS/m);
  const fix = /fix: git (.* remote set-url origin .*)/.exec(shown.stdout)?.[1] ?? "";
  assertStringIncludes(fix, world.url("moved"));
  assertStringIncludes((await world.amof(["doctor"])).stdout, fix);
  const planned = await world.amof(["lock", "--json"]);
  assertEquals(pick(planned.json(), "error"), "would_lose_work", planned.stdout);
  const allowed = await world.amof(["lock", "--allow-local", "--out", "-", "--json"]);
  assertEquals(pick(allowed.json(), "local"), ["api"], allowed.stdout);
  await world.git(world.control, ...fix.split(" "));
  assertStringIncludes((await world.amof(["status"])).stdout, "all OK");
});

Deno.test("an origin that means the same as the manifest is no other address", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const origin = async (url: string) => {
    await world.git(world.clone("api"), "remote", "set-url", "origin", url);
    return (await world.amof(["status", "--json"])).stdout.includes("OTHER_ADDRESS");
  };
  const path = join(world.remotes, "api.git");
  assertEquals(await origin(path), false);
  assertEquals(await origin(`${path}/`), false);
  assertEquals(await origin(join("..", "..", "..", "..", "..", "remotes", "api")), false);
  // A setting of the user, which lets one address stand for another.
  const home = join(world.directory, "home/.gitconfig");
  await Deno.writeTextFile(home, `[url "${world.url("api")}"]\n\tinsteadOf = short:api\n`);
  world.env["GIT_CONFIG_GLOBAL"] = home;
  assertEquals(await origin("short:api"), false);
  assertEquals(await origin(join(world.remotes, "web.git")), true);
});

Deno.test("where a remote has renamed its default branch every look has the command that follows it", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const remote = join(world.remotes, "api.git");
  await world.git(remote, "branch", "-m", "main", "trunk");
  const synced = await world.amof(["sync"]);
  assertEquals(synced.code, 0, synced.stderr);
  const command = "amof repo rename api --branch trunk";
  assertMatch(synced.stdout, new RegExp(`^ +fix: ${command}$`, "m"));
  for (const words of [["doctor"], ["doctor", "--remotes"], ["status"]]) {
    const { stdout } = await world.amof(words);
    assertMatch(stdout, new RegExp(`^ +fix: ${command}$`, "m"), words.join(" "));
  }
  assertEquals((await world.amof(["ticket", "start", "T-1"])).code, 0);
  const updated = await world.amof(["ticket", "update", "T-1"]);
  assertStringIncludes(updated.stderr, `: ${command}\n`);
  assertEquals((await world.amof(["ticket", "end", "T-1", "--cleanup", "--yes"])).code, 0);
  const ran = await world.amof([...command.split(" ").slice(1), "--yes"]);
  assertEquals(ran.code, 0, ran.stderr);
  // The way to it, which status tells, and nothing more.
  const way = /^ +fix: git (.+)$/m.exec((await world.amof(["status"])).stdout)?.[1] ?? "";
  await world.git(world.directory, ...way.split(" "));
  assertStringIncludes((await world.amof(["status"])).stdout, "all OK");
});

Deno.test("status says of a clone of one branch that its remote has it no more, once sync has found that", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.git(world.clone("api"), "remote", "set-branches", "origin", "main");
  await world.git(join(world.remotes, "api.git"), "branch", "-m", "main", "trunk");
  const synced = await world.amof(["sync"]);
  assertStringIncludes(synced.stdout, "fix: amof repo rename api --branch trunk\n");
  const [row] = rows((await world.amof(["status", "--json"])).json(), "repos");
  assertEquals(row?.["status"], "NO_BASE+UNPUSHED");
  const { stdout } = await world.amof(["status"]);
  assertMatch(
    stdout,
    /⚠ api: its remote has no branch main any more; its default branch is trunk\n +fix: amof repo rename api --branch trunk$/m,
  );
});
