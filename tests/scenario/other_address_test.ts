/**
 * Clones whose `origin` is not the address that the manifest has: sync and push say so, and go by the clone; into a
 * branch of a ticket nothing comes from there.
 *
 * @module
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { ownClone } from "../support/own_ticket.ts";
import { World } from "../support/world.ts";

Deno.test("sync and push tell of an address that is not the manifest's, with the command that mends it", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const file = join(world.control, "ecosystems", "demo", "ecosystem.yaml");
  const text = await Deno.readTextFile(file);
  await Deno.writeTextFile(file, text.replace("api.git", "moved.git"));
  const api = world.clone("api");
  await Deno.writeTextFile(join(api, "new.txt"), "new\n");
  await world.git(api, "add", "new.txt");
  await world.git(api, "commit", "--quiet", "-m", "Write new.txt");
  const preview = await world.amof(["push", "--allow-base", "--dry-run"]);
  assertStringIncludes(preview.stdout, "api.git, and the manifest says");
  for (const words of [["sync"], ["push", "--allow-base", "--yes"]]) {
    const ran = await world.amof(words);
    assertEquals(ran.code, 0, ran.stderr);
    assertStringIncludes(ran.stdout, "⚠ api:");
    assertStringIncludes(ran.stdout, "remote set-url origin");
    assertEquals(ran.stdout.includes("⚠ web:"), false);
  }
});

Deno.test("lock leads a clone of another address to that of the manifest, and then what is only there to the remote", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const file = join(world.control, "ecosystems", "demo", "ecosystem.yaml");
  const [old, moved] = ["api.git", "moved.git"].map((name) => join(world.remotes, name));
  await world.git(world.remotes, "clone", "--quiet", "--bare", old ?? "", moved ?? "");
  await Deno.writeTextFile(file, (await Deno.readTextFile(file)).replace("api.git", "moved.git"));
  const api = world.clone("api");
  await Deno.writeTextFile(join(api, "new.txt"), "new\n");
  await world.git(api, "add", "new.txt");
  await world.git(api, "commit", "--quiet", "-m", "Write new.txt");
  await world.git(api, "push", "--quiet", "origin", "main");
  const refused = await world.amof(["lock"]);
  assertStringIncludes(refused.stderr, "and the manifest says");
  const fix = /git -C \S+ (remote set-url origin \S+)/.exec(refused.stderr)?.[1] ?? "";
  await world.git(api, ...fix.split(" "));
  assertStringIncludes((await world.amof(["lock"])).stderr, "amof push --repo api");
  for (const words of [["sync", "--repo", "api"], ["push", "--allow-base", "--yes"]]) {
    const ran = await world.amof(words);
    assertEquals(ran.code, 0, ran.stderr);
  }
  const locked = await world.amof(["lock"]);
  assertEquals(locked.code, 0, locked.stderr);
});

Deno.test("what a foreign repository has is not to be brought in where it is the origin by mistake", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const api = world.clone("api");
  await world.git(api, "remote", "set-url", "origin", world.url("web"));
  await Deno.writeTextFile(join(api, "new.txt"), "new\n");
  await world.git(api, "add", "new.txt");
  await world.git(api, "commit", "--quiet", "-m", "Write new.txt");
  const mend = `remote set-url origin ${world.url("api")}`;
  for (const words of [["sync"], ["push", "--allow-base"], ["status"], ["doctor"]]) {
    const { stdout, stderr } = await world.amof(words);
    // In one piece to paste: a hint begins with a capital letter.
    assertStringIncludes(stdout + stderr, `git -C ${api} ${mend}`, words.join(" "));
    assertEquals(/ pull |integrate|rebase/i.test(stdout + stderr), false, stdout + stderr);
    assertEquals(stdout.includes("made anew"), false, stdout);
    // What was fetched before is of the other address.
    if (words[0] !== "push") assertStringIncludes(stdout + stderr, "amof sync --repo api");
  }
});

Deno.test("after its address was mended a clone goes by nothing that was fetched from the other one", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const api = world.clone("api");
  await Deno.writeTextFile(join(api, "new.txt"), "new\n");
  await world.git(api, "add", "new.txt");
  await world.git(api, "commit", "--quiet", "-m", "Write new.txt");
  await world.git(api, "remote", "set-url", "origin", world.url("web"));
  await world.amof(["sync", "--quiet"]);
  await world.git(api, "remote", "set-url", "origin", world.url("api"));
  const status = await world.amof(["status"]);
  const said = "nothing was fetched since the address of its origin changed";
  assertStringIncludes(status.stdout, said);
  assertStringIncludes(status.stdout, "fix: amof sync --repo api");
  assertEquals(/made anew|kept-/.test(status.stdout), false, status.stdout);
  assertEquals((await world.amof(["sync", "--repo", "api"])).code, 0);
  const after = await world.amof(["status"]);
  assertEquals(after.stdout.includes(said), false);
  assertEquals(after.stdout.includes("behind"), false, after.stdout);
});

Deno.test("nothing is pushed into the remote of another repository of the manifest, and the fix leads to its own", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  assertEquals((await world.amof(["ticket", "start", "T-1"])).code, 0);
  const [api, web] = [world.clone("api"), world.clone("web")];
  for (const clone of [api, web]) {
    await Deno.writeTextFile(join(clone, "new.txt"), `${clone}\n`);
    await world.git(clone, "add", "new.txt");
    await world.git(clone, "commit", "--quiet", "-m", "Write new.txt");
  }
  await world.git(api, "remote", "set-url", "origin", world.url("web"));
  const held = await world.amof(["push", "--yes"]);
  assertEquals(held.code, 5, held.stdout);
  assertStringIncludes(held.stdout, "it would go to web: its origin is");
  const there = (repo: string) =>
    world.git(
      join(world.remotes, `${repo}.git`),
      "branch",
      "--list",
      "--format=%(objectname)",
      "feature/T-1",
    );
  assertEquals(await there("web"), await world.git(web, "rev-parse", "HEAD"));
  // So that its clone knows the branch of the other one.
  await world.git(api, "fetch", "--quiet");
  const mend = `remote set-url origin ${world.url("api")}`;
  assertStringIncludes(held.stderr, `git -C ${api} ${mend}\n`);
  assertStringIncludes(held.stderr, "amof sync --repo api");
  const status = await world.amof(["status"]);
  assertStringIncludes(status.stdout, `git -C ${api} ${mend}\n`);
  assertStringIncludes(status.stdout, "amof sync --repo api");
  await world.git(api, ...mend.split(" "));
  assertEquals((await world.amof(["sync", "--repo", "api"])).code, 0);
  const pushed = await world.amof(["push", "--yes"]);
  assertEquals(pushed.code, 0, pushed.stdout + pushed.stderr);
  assertEquals(await there("api"), await world.git(api, "rev-parse", "HEAD"));
});

Deno.test("nothing is deleted at, or put away into, the remote of another repository of the manifest", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const [api, web] = [world.clone("api"), world.clone("web")];
  const refs = () => world.git(join(world.remotes, "web.git"), "for-each-ref");
  const mend = `remote set-url origin ${world.url("api")}`;
  for (const [id, where] of [["T-1", []], ["T-2", ["--workspace"]]] as const) {
    assertEquals((await world.amof(["ticket", "start", id, ...where])).code, 0);
    const clone = where.length === 0 ? api : ownClone(world, id, "api");
    // What the other one has of that name is merged there.
    await world.git(web, "push", "--quiet", "origin", `main:feature/${id}`);
    await world.git(clone, "remote", "set-url", "origin", world.url("web"));
    await world.git(clone, "fetch", "--quiet");
    const before = await refs();
    const ended = await world.amof(["ticket", "end", id, "--cleanup", "--yes"]);
    assertEquals(ended.code === 0, false, ended.stdout);
    assertStringIncludes(ended.stderr, `"api" has the remote of web: its origin is`);
    assertStringIncludes(ended.stderr, `end its address: git -C ${clone} ${mend}`);
    assertEquals(await refs(), before);
  }
  await world.git(api, "commit", "--quiet", "--allow-empty", "-m", "Ours");
  const before = await refs();
  for (const words of [[], ["--cleanup-features"]]) {
    const archived = await world.amof(["archive", "--tickets", ...words, "--yes"]);
    assertEquals(archived.code === 0, false, archived.stdout);
    assertStringIncludes(archived.stderr, `"api" has the remote of web: its origin is`);
    assertEquals(await refs(), before);
  }
  await world.git(api, "reset", "--quiet", "--hard", "HEAD~1");
  await world.git(api, ...mend.split(" "));
  assertEquals((await world.amof(["sync", "--repo", "api"])).code, 0);
  const ended = await world.amof(["ticket", "end", "T-1", "--cleanup", "--yes"]);
  assertEquals(ended.code, 0, ended.stderr);
});

Deno.test("nothing of another address comes into a branch of a ticket", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const api = world.clone("api");
  assertEquals((await world.amof(["ticket", "start", "T-1"])).code, 0);
  await world.git(api, "commit", "--quiet", "--allow-empty", "-m", "Ours");
  await world.git(api, "push", "--quiet", "origin", "feature/T-1:feature/T-2", "feature/T-1:main");
  const head = await world.git(api, "rev-parse", "HEAD~1");
  await world.git(api, "reset", "--quiet", "--hard", head.trim());
  const file = join(world.control, "ecosystems", "demo", "ecosystem.yaml");
  const text = await Deno.readTextFile(file);
  await Deno.writeTextFile(file, text.replace("api.git", "moved.git"));
  const mend = `git -C ${api} remote set-url origin ${world.url("moved")}`;
  for (const words of [["update"], ["update", "T-1", "--offline"], ["start", "T-2"]]) {
    const ran = await world.amof(["ticket", ...words]);
    assertEquals(ran.code === 0, false, ran.stdout);
    assertStringIncludes(ran.stderr, `end its address: ${mend}`, words.join(" "));
    assertEquals(await world.git(api, "rev-parse", "HEAD"), head);
  }
  // A branch of its own begins at what was fetched before.
  assertEquals((await world.amof(["ticket", "start", "T-3"])).code, 0);
});

Deno.test("a clone whose remote has another name is led to the name that everything goes by", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const api = world.clone("api");
  await world.git(api, "remote", "rename", "origin", "canon");
  await world.git(world.clone("web"), "remote", "remove", "origin");
  const fix = `git -C ${api} remote rename canon origin`;
  for (const words of [["status"], ["doctor"], ["ticket", "update", "T-1"]]) {
    if (words.length > 1) {
      assertEquals((await world.amof(["ticket", "start", "T-1", "--offline"])).code, 0);
    }
    const { stdout, stderr } = await world.amof(words);
    assertStringIncludes(stdout + stderr, fix, words.join(" "));
    assertStringIncludes(stdout + stderr, `git -C ${world.clone("web")} remote add origin`);
  }
  await world.git(api, ...fix.split(" ").slice(3));
  assertEquals((await world.git(api, "config", "branch.main.remote")).trim(), "origin");
  assertEquals((await world.git(api, "remote")).trim(), "origin");
  const synced = await world.amof(["sync", "--repo", "api"]);
  assertEquals(synced.code, 0, synced.stderr);
});
