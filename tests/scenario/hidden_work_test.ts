/**
 * Work that a status does not show: `archive` refuses it, `discard` lists each piece.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { rows } from "../support/answers.ts";
import { IN_TABLES, World } from "../support/world.ts";

/** Wrapped programs are shell scripts. */
const POSIX = Deno.build.os !== "windows";

/** A commit that no branch has, on top of what is checked out. */
async function commitAside(world: World, path: string, subject: string): Promise<string> {
  const tree = await world.git(path, "rev-parse", "HEAD^{tree}");
  return await world.git(path, "commit-tree", "-p", "HEAD", "-m", subject, tree);
}

/** What a shell alone can name. */
async function shell(cwd: string, line: string): Promise<void> {
  const { success } = await new Deno.Command("sh", { args: ["-c", line], cwd }).output();
  assert(success, line);
}

interface Case {
  /** Hides something in the clone of `api`. */
  readonly hide: (world: World, clone: string) => Promise<void>;
  readonly kind: string;
  /** What is listed of it. */
  readonly item: RegExp;
  /** The repository it is told of. */
  readonly repo?: string;
  readonly posix?: boolean;
}

const CASES: Readonly<Record<string, Case>> = {
  "commits of a tag": {
    async hide(world, clone) {
      await world.git(clone, "tag", "try", await commitAside(world, clone, "A try"));
    },
    kind: "tagged",
    item: /^[0-9a-f]{7} A try \(try\)$/,
  },
  "commits of a tag whose name is no UTF-8": {
    async hide(world, clone) {
      const commit = await commitAside(world, clone, "Named oddly");
      // Packed, it is in no file that only a shell can name.
      await shell(clone, `git tag "$(printf 'caf\\351')" ${commit} && git pack-refs --all`);
    },
    kind: "tagged",
    item: /^[0-9a-f]{7} Named oddly \(caf.+\)$/,
    posix: true,
  },
  "commits of another ref": {
    async hide(world, clone) {
      const commit = await commitAside(world, clone, "Kept by a tool");
      await world.git(clone, "update-ref", "refs/wip/main", commit);
    },
    kind: "refs",
    item: /^[0-9a-f]{7} Kept by a tool \(refs\/wip\/main\)$/,
  },
  "notes": {
    async hide(world, clone) {
      await world.git(clone, "notes", "add", "-m", "A note", "HEAD");
    },
    kind: "refs",
    item: /\(refs\/notes\/commits\)$/,
  },
  "what a ref keeps that is no commit": {
    async hide(world, clone) {
      const blob = await world.git(clone, "hash-object", "-w", "README.md");
      await world.git(clone, "update-ref", "refs/data/one", blob);
    },
    kind: "refs",
    item: /^refs\/data\/one \(a blob\)$/,
  },
  "commits that a replacement hides": {
    async hide(world, clone) {
      await world.git(clone, "commit", "--quiet", "--allow-empty", "-m", "Hidden");
      await world.git(clone, "commit", "--quiet", "--allow-empty", "-m", "On top");
      await world.git(clone, "replace", "HEAD", "origin/main");
    },
    kind: "commits",
    item: /On top|on main/,
  },
  "a changed file under skip-worktree": {
    async hide(world, clone) {
      await world.git(clone, "update-index", "--skip-worktree", "README.md");
      await Deno.writeTextFile(join(clone, "README.md"), "mine\n");
    },
    kind: "hidden",
    item: /^README\.md$/,
  },
  "a changed file under assume-unchanged": {
    async hide(world, clone) {
      await world.git(clone, "update-index", "--assume-unchanged", "README.md");
      await Deno.writeTextFile(join(clone, "README.md"), "mine\n");
    },
    kind: "hidden",
    item: /^README\.md$/,
  },
  "a changed file under skip-worktree in the workspace itself": {
    async hide(world) {
      const file = "ecosystems/demo/ecosystem.yaml";
      await world.git(world.workspace(), "update-index", "--skip-worktree", file);
      await Deno.writeTextFile(join(world.workspace(), file), "mine\n");
    },
    kind: "hidden",
    item: /^ecosystems\/demo\/ecosystem\.yaml$/,
    repo: "(workspace)",
  },
  "a repository deep inside an ignored directory": {
    async hide(world, clone) {
      await Deno.mkdir(join(clone, "vendor/a/b"), { recursive: true });
      await Deno.writeTextFile(join(clone, ".git/info/exclude"), "vendor/\n");
      await world.git(join(clone, "vendor/a/b"), "init", "--quiet", "--template=");
    },
    kind: "repository",
    item: /^vendor\/a\/b\/$/,
  },
  "a bare repository in an ignored directory": {
    async hide(world, clone) {
      await Deno.mkdir(join(clone, "cache"), { recursive: true });
      await Deno.writeTextFile(join(clone, ".git/info/exclude"), "cache/\n");
      await world.git(clone, "clone", "--quiet", "--bare", "--template=", ".", "cache/copy.git");
    },
    kind: "repository",
    item: /^cache\/copy\.git\/$/,
  },
  "a repository around files that are tracked": {
    async hide(world, clone) {
      await Deno.mkdir(join(clone, "part"));
      await Deno.writeTextFile(join(clone, "part/file"), "file\n");
      await world.git(clone, "add", "part");
      await world.git(clone, "commit", "--quiet", "-m", "Part");
      await world.git(clone, "push", "--quiet", "origin", "main");
      await world.git(join(clone, "part"), "init", "--quiet", "--template=");
    },
    kind: "repository",
    item: /^part\/$/,
  },
  "a rebase that waits, with nothing changed": {
    async hide(world, clone) {
      await world.git(clone, "commit", "--quiet", "--allow-empty", "-m", "One");
      await world.git(clone, "push", "--quiet", "origin", "main");
      const editor = await world.script("edit", `sed -i.bak '1s/^pick/edit/' "$1"`);
      await world.command("git", ["rebase", "--interactive", "--keep-empty", "HEAD~1"], {
        cwd: clone,
        env: { GIT_SEQUENCE_EDITOR: editor },
      });
    },
    kind: "in_progress",
    item: /^rebase$/,
    posix: true,
  },
  "commits of a workspace that stands on no branch": {
    async hide(world) {
      await world.git(world.workspace(), "switch", "--quiet", "--detach");
      await world.git(world.workspace(), "commit", "--quiet", "--allow-empty", "-m", "Lost");
    },
    kind: "commits",
    item: /^[0-9a-f]{7} Lost$/,
    repo: "(workspace)",
  },
};

for (const [name, { hide, kind, item, repo = "api", posix = false }] of Object.entries(CASES)) {
  Deno.test({
    name: `amof archive refuses and amof discard lists ${name}`,
    ignore: posix && !POSIX,
    async fn() {
      await using world = await World.installed({ repos: ["api"] });
      await hide(world, world.clone("api"));
      const before = await world.fingerprint();
      const dry = await world.amof(["discard", "--dry-run", "--json"]);
      assertEquals(dry.code, 0, dry.stdout);
      const losses = rows(dry.json(), "preview", "losses")
        .filter((loss) => loss["repo"] === repo && loss["kind"] === kind);
      assertEquals(losses.length, 1, dry.stdout);
      const items = losses[0]?.["items"] as string[];
      assert(items.some((text) => item.test(text)), items.join("\n"));
      for (const flags of [["--yes"], ["--dry-run"]]) {
        const ran = await world.amof(["archive", ...flags, "--json"]);
        assertEquals(ran.code, 1, ran.stdout);
        assertStringIncludes(String(ran.json()["message"]), `"${repo}" has `);
      }
      assertEquals(await world.changesSince(before), []);
      const given = await world.amof([
        "archive",
        "--discard-local",
        "--confirm-name",
        "demo",
        "--json",
      ]);
      assertEquals(given.code, 0, given.stdout);
    },
  });
}

Deno.test("amof archive takes tags and notes that the remote has for what they are", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const clone = world.clone("api");
  await world.git(
    clone,
    "tag",
    "-a",
    "-m",
    "A try",
    "try",
    await commitAside(world, clone, "A try"),
  );
  await world.git(clone, "notes", "add", "-m", "A note", "HEAD");
  const refused = await world.amof(["archive", "--yes", "--json"]);
  assertEquals([refused.code, refused.json()["error"]], [1, "would_lose_work"], refused.stdout);
  await world.git(clone, "push", "--quiet", "origin", "refs/tags/try", "refs/notes/commits");
  const ran = await world.amof(["archive", "--yes", "--json"]);
  assertEquals(ran.code, 0, ran.stdout);
});

Deno.test("amof archive passes over what holds no work: clean flagged files, hooks, what was amended, files to test with", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const clone = world.clone("api");
  await Deno.mkdir(join(clone, "fixture.git"));
  await Deno.writeTextFile(join(clone, "fixture.git", "HEAD"), "ref: refs/heads/main\n");
  for (const name of ["objects", "refs"]) {
    await Deno.mkdir(join(clone, "fixture.git", name));
    await Deno.writeTextFile(join(clone, "fixture.git", name, "keep"), "");
  }
  await world.git(clone, "add", ".");
  await world.git(clone, "commit", "--quiet", "-m", "First words");
  await world.git(clone, "commit", "--quiet", "--amend", "-m", "Second words");
  await world.git(clone, "push", "--quiet", "origin", "main");
  await world.git(clone, "update-index", "--skip-worktree", "README.md");
  await world.hook(join(clone, ".git"), "post-merge", "exit 0");
  const dry = await world.amof(["discard", "--dry-run", "--json"]);
  assertEquals(
    rows(dry.json(), "preview", "losses").map((
      loss,
    ) => [loss["kind"], loss["count"], loss["items"]]),
    [["ignored", 1, [".git/hooks/post-merge"]], ["reflog", 1, []]],
  );
  const ran = await world.amof(["archive", "--yes", "--json"]);
  assertEquals(ran.code, 0, ran.stdout);
});

Deno.test({
  name:
    "amof discard takes six git processes per clone, and one more for each kind of thing that is there",
  ignore: !POSIX, // git is wrapped in a shell script
  async fn() {
    await using world = await World.installed({ repos: ["api"] });
    const clone = world.clone("api");
    const log = join(world.directory, "calls");
    const env = await world.wrapGit(`pwd >> '${log}'`);
    const calls = async (): Promise<number> => {
      await Deno.writeTextFile(log, "");
      const ran = await world.amof(["discard", "--dry-run"], { env });
      assertEquals(ran.code, 0, ran.stdout + ran.stderr);
      return (await Deno.readTextFile(log)).trim().split("\n").filter((line) => line === clone)
        .length;
    };
    // One more where refs are in tables, which notes a pick that is not finished there.
    const plain = IN_TABLES ? 7 : 6;
    assertEquals(await calls(), plain);
    await world.git(clone, "tag", "one");
    assertEquals(await calls(), plain + 1);
    await world.git(clone, "update-index", "--skip-worktree", "README.md");
    assertEquals(await calls(), plain + 2);
    await Deno.writeTextFile(join(clone, "new"), "new\n");
    await world.git(clone, "stash", "push", "--quiet", "--include-untracked");
    assertEquals(await calls(), plain + 3);
  },
});

Deno.test("an annotated tag that is only here is refused by amof archive until it is pushed, and told by amof discard", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const clone = world.clone("api");
  await world.git(clone, "tag", "-a", "-m", "What was agreed on", "agreed");
  const dry = await world.amof(["discard", "--dry-run", "--json"]);
  assertEquals(
    rows(dry.json(), "preview", "losses").map((
      loss,
    ) => [loss["repo"], loss["kind"], loss["items"]]),
    [["api", "annotated", ["agreed"]]],
  );
  const before = await world.fingerprint();
  for (const flags of [["--yes"], ["--dry-run"]]) {
    const refused = await world.amof(["archive", ...flags, "--json"]);
    assertEquals([refused.code, refused.json()["error"]], [1, "would_lose_work"], refused.stdout);
    assertStringIncludes(
      String(refused.json()["message"]),
      '"api" has 1 annotated tag that the remote does not have: agreed',
    );
  }
  assertEquals(await world.changesSince(before), []);
  await world.git(clone, "push", "--quiet", "origin", "refs/tags/agreed");
  // Another tag of this name is another message.
  await world.git(clone, "tag", "-f", "-a", "-m", "What was agreed on since", "agreed");
  assertEquals((await world.amof(["archive", "--yes"])).code, 1);
  await world.git(clone, "push", "--quiet", "--force", "origin", "refs/tags/agreed");
  const ran = await world.amof(["archive", "--yes", "--json"]);
  assertEquals(ran.code, 0, ran.stdout);
});

Deno.test("an annotated tag that is only here is given up with --discard-local", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.git(world.clone("api"), "tag", "-a", "-m", "A try", "try");
  const ran = await world.amof(["archive", "--discard-local", "--confirm-name", "demo", "--json"]);
  assertEquals(ran.code, 0, ran.stdout);
});

Deno.test("amof archive and discard tell how many objects of git-lfs are kept here", async () => {
  await using world = await World.installed({ repos: ["api"] });
  for (const name of ["ab12", "ab34", "cd56"]) {
    const place = join(world.clone("api"), ".git/lfs/objects", name.slice(0, 2), name.slice(2, 4));
    await Deno.mkdir(place, { recursive: true });
    await Deno.writeTextFile(join(place, name.padEnd(64, "0")), "large\n");
  }
  for (const command of ["archive", "discard"]) {
    const dry = await world.amof([command, "--dry-run", "--json"]);
    assertEquals(dry.code, 0, dry.stdout);
    assertStringIncludes(dry.stdout, "api: 3 objects of git-lfs that its remote may not have");
  }
});
