// Git as the sources of agentpack need it.

import { assertEquals } from "@std/assert";
import { join, toFileUrl } from "@std/path";
import { Git } from "../../../src/git/mod.ts";
import { Clones } from "../../../src/git/write/mod.ts";
import { realSystem } from "../../../src/base/system/real/mod.ts";
import { World } from "../../support/world.ts";
import { writeProgram } from "../../support/program.ts";

async function repository(world: World): Promise<string> {
  const path = join(world.directory, "repo");
  await Deno.mkdir(join(path, "deep"), { recursive: true });
  await world.git(path, "init", "--quiet", "--initial-branch=main", "--template=");
  await Deno.writeFile(join(path, "deep/b.bin"), new Uint8Array([255, 0, 10]));
  await world.git(path, "add", "-A");
  await world.git(path, "commit", "--quiet", "-m", "one");
  return path;
}

Deno.test("Git.topLevel() looks upward, Git.remotes.url() does not invent a remote", async () => {
  await using world = await World.make();
  const path = await repository(world);
  const git = new Git(realSystem());
  assertEquals(await git.at(join(path, "deep")).topLevel(), path);
  assertEquals(await git.at(world.directory).topLevel(), null);
  assertEquals(await git.at(path).remotes.url("origin"), null);
  await world.git(path, "remote", "add", "origin", "https://x.invalid/y.git");
  assertEquals(await git.at(path).remotes.url("origin"), "https://x.invalid/y.git");
});

Deno.test("Git.remotes.address() leads there from anywhere, and leaves what is no path as it is", async () => {
  await using world = await World.make();
  const path = await repository(world);
  const { remotes } = new Git(realSystem()).at(path);
  assertEquals(await remotes.address("origin"), null);
  await world.git(path, "remote", "add", "origin", "../y.git");
  for (
    const [given, address] of [
      ["../y.git", join(path, "..", "y.git")],
      ["y.git", join(path, "y.git")],
      ["./a:b/y.git", join(path, "a:b", "y.git")],
      ["/srv/y.git", "/srv/y.git"],
      ["host:y.git", "host:y.git"],
      ["me@host.invalid:team/y.git", "me@host.invalid:team/y.git"],
      ["https://x.invalid/y.git", "https://x.invalid/y.git"],
      ["file:///srv/y.git", "file:///srv/y.git"],
      ["ext::sh -c x", "ext::sh -c x"],
    ] as const
  ) {
    await world.git(path, "remote", "set-url", "origin", given);
    assertEquals(await remotes.address("origin"), address);
  }
});

Deno.test("Git.remoteRefs.commitOf() takes exactly the ref, and what an annotated tag points to", async () => {
  await using world = await World.make();
  const path = await repository(world);
  const commit = await world.git(path, "rev-parse", "HEAD");
  await world.git(path, "tag", "-a", "v1", "-m", "v1");
  await world.git(path, "branch", "x/refs/heads/other");
  const git = new Git(realSystem());
  const ask = (name: string) =>
    git.at(world.directory).remoteRefs.commitOf(toFileUrl(path).href, name, "it");
  assertEquals(await ask("main"), commit);
  assertEquals(await ask("v1"), commit);
  assertEquals(await ask("other"), null);
});

Deno.test("Git.commits.fileAt() gives the bytes of a commit, null for what is not there", async () => {
  await using world = await World.make();
  const path = await repository(world);
  const commit = await world.git(path, "rev-parse", "HEAD");
  const git = new Git(realSystem());
  assertEquals(
    await git.at(path).commits.fileAt(commit, "deep/b.bin"),
    new Uint8Array([255, 0, 10]),
  );
  assertEquals(await git.at(path).commits.fileAt(commit, "nothing"), null);
  assertEquals(await git.at(path).commits.fileAt("f".repeat(40), "deep/b.bin"), null);
});

Deno.test("Git.part(Clones).makeWithoutFiles() and Git.commits.checkOut() fill a directory without running hooks", async () => {
  await using world = await World.make();
  const path = await repository(world);
  const commit = await world.git(path, "rev-parse", "HEAD");
  const git = new Git(realSystem());
  const clone = join(world.directory, "clone");
  await git.at(world.directory).part(Clones).makeWithoutFiles({
    url: toFileUrl(path).href,
    directory: clone,
    only: "main",
    what: "it",
  });
  await writeProgram(join(clone, ".git/hooks/post-checkout"), "#!/bin/sh\ntouch ran\n");
  await git.at(clone).commits.checkOut(commit, "it");
  assertEquals(await Deno.readFile(join(clone, "deep/b.bin")), new Uint8Array([255, 0, 10]));
  assertEquals(await realSystem().files.stat(join(clone, "ran")), null);
});
