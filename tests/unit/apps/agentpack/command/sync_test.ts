// Covers `remote set` and `sync`.

import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { AgentpackError } from "../../../../../src/apps/agentpack/error.ts";
import { plan, remoteSet, sync } from "../../../../support/pack_calls.ts";
import { assertCode } from "../../../../support/assert_code.ts";
import { call } from "../../../../support/pack_door.ts";
import { deploy, setUp } from "../../../../support/pack_fixture.ts";
import { PackWorld } from "../../../../support/pack_world.ts";

/** A config repo, a bare remote it may be shared at, and a colleague's clone of that. */
async function shared(): Promise<{ world: PackWorld; bare: string; other: string }> {
  const world = await PackWorld.make();
  await world.write("agentpack.yaml", "version: 1\n");
  await world.commitRepo();
  const bare = join(world.directory, "remotes", "config.git");
  const other = join(world.directory, "other");
  await world.files.makeDirectory(bare);
  await world.git(bare, "init", "--quiet", "--bare", "--initial-branch=main");
  return { world, bare, other };
}

const SYNC = { rebase: false, remote: "origin" };

Deno.test("remoteSet() adds a remote, then changes it, and sync() shares what is new on both sides", async () => {
  const { world, bare, other } = await shared();
  await using _ = world;
  await remoteSet(world.pack(), {}, { url: "/elsewhere", name: "origin" });
  const { data } = await remoteSet(world.pack(), {}, { url: bare, name: "origin" });
  assertEquals(data, { repo: world.repo, repo_posix: world.repo, remote: "origin", url: bare });
  const first = await sync(world.pack(), {}, SYNC);
  assertEquals(first.data.commands, ["git push origin main"]);
  assertEquals([first.data.branch, first.data.rebase], ["main", false]);
  assertEquals((await sync(world.pack(), {}, SYNC)).data.commands, [
    "git pull --ff-only origin main",
  ]);
  await world.git(world.directory, "clone", "--quiet", bare, other);
  await world.write(join(other, "theirs.md"), "theirs\n");
  await world.git(other, "add", "-A");
  await world.git(other, "commit", "--quiet", "-m", "Theirs");
  await world.git(other, "push", "--quiet", "origin", "main");
  await sync(world.pack(), {}, SYNC);
  assertEquals(await world.read(join(world.repo, "theirs.md")), "theirs\n");
});

Deno.test("sync() with commits on both sides wants rebase, and takes back one that conflicts", async () => {
  const { world, bare, other } = await shared();
  await using _ = world;
  await remoteSet(world.pack(), {}, { url: bare, name: "origin" });
  await sync(world.pack(), {}, SYNC);
  await world.git(world.directory, "clone", "--quiet", bare, other);
  const push = async (name: string, text: string) => {
    await world.write(join(other, name), text);
    await world.git(other, "add", "-A");
    await world.git(other, "commit", "--quiet", "-m", "Theirs");
    await world.git(other, "push", "--quiet", "origin", "main");
  };
  await push("theirs.md", "theirs\n");
  await world.write("ours.md", "ours\n");
  const mine = await world.commitRepo("Ours");
  const behind = await call(world, ["sync", "--yes"]);
  assertStringIncludes(
    behind.stderr,
    "hint: Put own commits on top of the remote's: amof agentpack sync --rebase\n",
  );
  await assertRejects(() => sync(world.pack(), {}, SYNC));
  assertEquals(await world.git(world.repo, "rev-parse", "HEAD"), mine);
  const { data } = await sync(world.pack(), {}, { ...SYNC, rebase: true });
  assertEquals(data.commands, ["git pull --rebase origin main", "git push origin main"]);
  assertEquals(await world.git(bare, "log", "--format=%s", "-2"), "Ours\nTheirs");
  await world.git(other, "pull", "--quiet");
  await push("ours.md", "their version\n");
  await world.write("ours.md", "our version\n");
  const before = await world.commitRepo("Conflict");
  const error = await assertRejects(() => sync(world.pack(), {}, { ...SYNC, rebase: true }), Error);
  assertEquals(
    error.message,
    "Cannot pull main from origin: own commits and those of the remote changed the same places of ours.md; nothing was changed",
  );
  assertStringIncludes(
    (await call(world, ["sync", "--rebase", "--yes"])).stderr,
    `hint: Bring both together by hand: git -C ${world.repo} pull --rebase origin main\nEdit the files`,
  );
  assertEquals(await world.git(world.repo, "rev-parse", "HEAD"), before);
  assertEquals(await world.git(world.repo, "status", "--porcelain"), "");
});

Deno.test("sync() says why the remote refused a push, and keeps the commit", async () => {
  const { world, bare } = await shared();
  await using _ = world;
  await remoteSet(world.pack(), {}, { url: bare, name: "origin" });
  const hook = join(bare, "hooks", "pre-receive");
  await world.write(hook, "#!/bin/sh\necho 'not on a Friday' >&2\nexit 1\n", 0o755);
  const head = await world.git(world.repo, "rev-parse", "HEAD");
  const error = await assertRejects(() => sync(world.pack(), {}, SYNC), AgentpackError);
  assertEquals([error.code, error.message], [
    "E_UNEXPECTED",
    "Cannot push main to origin: [remote rejected] (pre-receive hook declined) (the remote says: not on a Friday)",
  ]);
  assertEquals(await world.git(world.repo, "rev-parse", "HEAD"), head);
});

Deno.test("sync() and remoteSet() refuse what they cannot share", async () => {
  const { world } = await shared();
  await using _ = world;
  const about = { command: "sync", repo: world.repo, repo_posix: world.repo };
  await assertCode("E_GIT_REMOTE_MISSING", () => sync(world.pack(), {}, SYNC), {
    ...about,
    remote: "origin",
  });
  await world.git(world.repo, "switch", "--quiet", "--detach");
  await assertCode("E_GIT_DETACHED_HEAD", () => sync(world.pack(), {}, SYNC), about);
  await world.write("new.md", "new\n");
  await assertCode("E_GIT_WORKTREE_DIRTY", () => sync(world.pack(), {}, SYNC), about);
  const elsewhere = { repo: join(world.home, "no-repo") };
  await assertCode("E_GIT_REPO_REQUIRED", () => sync(world.pack(), elsewhere, SYNC));
  for (
    const [url, name] of [["ext::sh -c id", "origin"], ["--upload-pack=x", "origin"], [
      "/x",
      "-x",
    ]] as const
  ) {
    await assertCode("E_USAGE", () => remoteSet(world.pack(), {}, { url, name }));
  }
  assertEquals(await world.git(world.repo, "remote"), "");
});

Deno.test("sync() of a config repo in the middle of a rebase says so and changes nothing", async () => {
  const { world, bare } = await shared();
  await using _ = world;
  await remoteSet(world.pack(), {}, { url: bare, name: "origin" });
  await sync(world.pack(), {}, SYNC);
  await world.write("ours.md", "ours\n");
  const head = await world.commitRepo("Ours");
  await world.files.makeDirectory(join(world.repo, ".git", "rebase-merge"));
  await assertCode("E_GIT_WORKTREE_DIRTY", () => sync(world.pack(), {}, SYNC), {
    repo: world.repo,
    in_progress: "rebase",
    hint: `Finish it there, or take it back: git -C ${world.repo} rebase --abort`,
  });
  assertEquals(await world.git(world.repo, "rev-parse", "HEAD"), head);
  assertEquals(await world.git(bare, "log", "--format=%s"), "Begin");
});

Deno.test("sync() takes a rebase back that was cut off and holds nothing of its own, and no other", async () => {
  const { world, bare } = await shared();
  await using _ = world;
  await remoteSet(world.pack(), {}, { url: bare, name: "origin" });
  await sync(world.pack(), {}, SYNC);
  await world.write("first.md", "first\n");
  await world.commitRepo("First");
  await world.write("second.md", "second\n");
  const head = await world.commitRepo("Second");
  // As when the program is killed together with git: the first commit is taken over, the second is not.
  const stop = () =>
    world.git(
      world.repo,
      "-c",
      "sequence.editor=sed -i -e '1s/$/\\nbreak/'",
      "rebase",
      "--quiet",
      "--force-rebase",
      "--interactive",
      "HEAD~2",
    );
  await stop();
  const { data } = await sync(world.pack(), {}, SYNC);
  assertEquals(data.commands, [
    "git rebase --abort",
    "git pull --ff-only origin main",
    "git push origin main",
  ]);
  assertEquals(await world.git(bare, "rev-parse", "main"), head);
  for (const own of ["a commit", "a change", "a file"]) {
    await stop();
    const file = own === "a file" ? "second.md" : own === "a change" ? "first.md" : "own.md";
    await world.write(file, "of my own\n");
    if (own === "a commit") await world.commitRepo("Own");
    await assertCode("E_GIT_WORKTREE_DIRTY", () => sync(world.pack(), {}, SYNC), {
      in_progress: "rebase",
    });
    assertEquals(await Deno.readTextFile(join(world.repo, file)), "of my own\n");
    if (own === "a file") await world.files.remove(join(world.repo, file));
    await world.git(world.repo, "rebase", "--abort");
    assertEquals(await world.git(world.repo, "rev-parse", "HEAD"), head);
  }
});

Deno.test("what git marks where two machines collided is not deployed, and a text that quotes it is warned of", async () => {
  await using world = await PackWorld.make();
  await setUp(world, "  zed: { mode: files, scope: project }");
  await deploy(world);
  const file = join(world.repo, "m/alpha/AGENTS.md");
  await world.commitRepo();
  await world.git(world.repo, "switch", "--quiet", "-c", "theirs");
  await world.write(file, "# Theirs\n");
  await world.commitRepo("Theirs");
  await world.git(world.repo, "switch", "--quiet", "main");
  await world.write(file, "# Ours\n");
  await world.commitRepo("Ours");
  const merged = await world.world.command("git", ["-C", world.repo, "merge", "theirs"], {
    cwd: world.repo,
  });
  assertEquals(merged.code, 1);
  const rules = join(world.project, ".rules");
  const before = await world.read(rules);
  for (const refused of [() => plan(world.reader(), {}), () => deploy(world)]) {
    const { message, details } = await assertCode("E_GIT_WORKTREE_DIRTY", refused);
    assertStringIncludes(message, `in the middle of a merge, and 1 file`);
    assertEquals(details?.["conflict_files"], [rules]);
  }
  assertEquals(await world.read(rules), before);
  await world.commitRepo("With marks");
  const { data, warnings } = await plan(world.reader(), {});
  assertEquals(data.summary, { create: 0, update: 1, delete: 0 });
  assertStringIncludes(
    warnings.join("\n"),
    `"${rules}" would get conflict markers of git, first in line 1`,
  );
});
