/**
 * What a push shows before it is agreed to, and the new files it does not take along unasked.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { GitHttp } from "../support/git_http.ts";
import { type Ran, World } from "../support/world.ts";

async function put(world: World, repo: string, file: string, text = "text\n"): Promise<void> {
  const path = join(world.clone(repo), file);
  await Deno.mkdir(join(path, ".."), { recursive: true });
  await Deno.writeTextFile(path, text);
}

/** The first repository of a preview. */
function planned(ran: Ran): Record<string, unknown> {
  return rows(ran.json(), "preview", "repos")[0] ?? {};
}

Deno.test("amof push shows the subjects of what it would send, the newest ones of many", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const clone = world.clone("api");
  await world.git(clone, "switch", "--quiet", "-c", "feature/T-1");
  for (let n = 1; n <= 25; n++) {
    await world.git(clone, "commit", "--quiet", "--allow-empty", "-m", `Step ${n}`);
  }
  const json = planned(await world.amof(["push", "--dry-run", "--json"]));
  const subjects = json["commit_subjects"] as string[];
  assertEquals([json["ahead"], subjects.length], [25, 20]);
  assertMatch(subjects[0] ?? "", /^[0-9a-f]{7} Step 25$/);
  const read = await world.amof(["push", "--dry-run"]);
  assertMatch(read.stdout, /^ {4}[0-9a-f]{7} Step 25$/m);
  assertStringIncludes(read.stdout, "    … and 5 more commits");
});

Deno.test("amof push --commit shows the files it would commit, and which of them are untracked", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const clone = world.clone("api");
  await world.git(clone, "switch", "--quiet", "-c", "feature/T-1");
  await put(world, "api", "moved.txt", "a text that git can recognise again\n".repeat(9));
  await put(world, "api", "gone.txt");
  await world.git(clone, "add", ".");
  await world.git(clone, "commit", "--quiet", "-m", "Begin");
  await world.git(clone, "mv", "moved.txt", "elsewhere.txt");
  await Deno.remove(join(clone, "gone.txt"));
  await put(world, "api", "README.md", "changed\n");
  await put(world, "api", "staged.txt");
  await world.git(clone, "add", "staged.txt");
  await put(world, "api", "deep/er/new.txt");
  const json = planned(await world.amof(["push", "--commit", "--dry-run", "--json"]));
  assertEquals(
    (json["files"] as { path: string; change: string }[]).map(({ path, change }) =>
      `${change} ${path}`
    ).sort(),
    [
      "added staged.txt",
      "deleted gone.txt",
      "modified README.md",
      "renamed elsewhere.txt",
      "untracked deep/er/new.txt",
    ],
  );
  const read = await world.amof(["push", "--commit", "--dry-run"]);
  assertMatch(read.stdout, /^ {4}untracked {2}deep\/er\/new\.txt$/m);
  const ran = await world.amof(["push", "--commit", "--yes", "--json"]);
  assertEquals(ran.code, 0, ran.stdout);
  assertEquals(await world.git(clone, "status", "--porcelain"), "");
});

Deno.test("a confirmation of amof push is worth nothing once what it showed has changed", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const clone = world.clone("api");
  await world.git(clone, "switch", "--quiet", "-c", "feature/T-1");
  await put(world, "api", "a.txt");
  const asked = await world.amof(["push", "--commit", "--json"]);
  await put(world, "api", "b.txt");
  const token = String(pick(asked.json(), "confirmation", "token"));
  const ran = await world.amof(["confirm", token, "--json"]);
  assertEquals(pick(ran.json(), "error"), "confirmation_stale", ran.stdout);
});

Deno.test("amof push --commit holds back new files that look secret until each is named", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  for (const repo of ["api", "web"]) {
    await world.git(world.clone(repo), "switch", "--quiet", "-c", "feature/T-1");
    await put(world, repo, "README.md", "changed\n");
  }
  await put(world, "api", "config/.env");
  await put(world, "api", "tls.key");
  await put(world, "api", ".env.example");
  await world.git(world.clone("api"), "add", "tls.key");
  const before = await world.git(world.clone("api"), "rev-parse", "HEAD");
  const held = await world.amof(["push", "--commit", "--yes", "--json"]);
  assertEquals(held.code, 5, held.stdout);
  const [api, web] = rows(held.json(), "result", "repos");
  assertEquals([api?.["code"], web?.["result"]], ["push_refused", "pushed"]);
  assertStringIncludes(String(api?.["detail"]), "tls.key, config/.env");
  assertMatch(
    String(api?.["fix"]),
    /\.gitignore\n.*amof push --repo api --commit --allow-secret tls\.key --allow-secret config\/\.env$/,
  );
  assertEquals(await world.git(world.clone("api"), "rev-parse", "HEAD"), before);
  const one = await world.amof([
    ...["push", "--commit", "--allow-secret", "tls.key", "--yes", "--json"],
  ]);
  assertStringIncludes(one.stdout, "look secret: config/.env");
  const named = ["--allow-secret", "tls.key", "--allow-secret", "config/.env"];
  for (const words of [["push", "--commit"], ["commit", "-m", "Keys"]]) {
    const shown = await world.amof([...words, ...named, "--dry-run"]);
    assertStringIncludes(shown.stdout, "    ⚠ tls.key looks secret\n");
    assertStringIncludes(shown.stdout, "    ⚠ config/.env looks secret\n");
    assert(!shown.stdout.includes("README.md looks secret"), shown.stdout);
  }
  const both = await world.amof([
    ...["push", "--commit", ...named],
    ...["--yes", "--json"],
  ]);
  assertEquals(both.code, 0, both.stdout);
});

Deno.test("a secret-looking file that a commit has already is committed like any other", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const clone = world.clone("api");
  await world.git(clone, "switch", "--quiet", "-c", "feature/T-1");
  await put(world, "api", ".env");
  await world.git(clone, "add", ".env");
  await world.git(clone, "commit", "--quiet", "-m", "Known");
  await put(world, "api", ".env", "CHANGED=1\n");
  const ran = await world.amof(["push", "--commit", "--yes", "--json"]);
  assertEquals(ran.code, 0, ran.stdout);
});

/** Every file below a directory that has a text in it. */
async function holding(directory: string, text: string): Promise<string[]> {
  const latin = new TextDecoder("latin1");
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(directory)) {
    const path = join(directory, name);
    if (isDirectory) found.push(...await holding(path, text));
    else if (latin.decode(await Deno.readFile(path)).includes(text)) found.push(path);
  }
  return found;
}

Deno.test("a password in the address of a remote is neither shown nor kept", async () => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  await using http = new GitHttp(world.remotes);
  await world.git(join(world.remotes, "api.git"), "config", "http.receivepack", "true");
  const secret = "hunter2hunter2";
  const manifest = join(world.control, "ecosystems/demo/ecosystem.yaml");
  const text = await Deno.readTextFile(manifest);
  const address = http.url("api").replace("://", `://bot:${secret}@`);
  await Deno.writeTextFile(manifest, text.replace(world.url("api"), address));
  await world.install();
  await world.commitOnFeature("api");
  const shown = await world.amof(["push", "--dry-run", "--json"]);
  assertStringIncludes(String(planned(shown)["url"]), "@127.0.0.1:", shown.stdout);
  const asked = await world.amof(["push", "--json"]);
  const pushed = await world.amof(["push", "--yes", "--json"]);
  assertEquals(pushed.code, 0, pushed.stdout);
  for (const ran of [shown, asked, pushed]) assertEquals(ran.stdout.includes(secret), false);
  assertEquals(await holding(world.env["AMOF_HOME"] ?? "", secret), []);
});
