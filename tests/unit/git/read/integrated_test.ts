// Whether the changes of a branch have landed in another one.

import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { Git, type Landing } from "../../../../src/git/mod.ts";
import { realSystem } from "../../../../src/base/system/real/mod.ts";
import { World } from "../../../support/world.ts";

/** Lines that are changed one by one. */
const LINES = Array.from({ length: 40 }, (_, index) => `line ${index}\n`);

/** A repository in which the branch `work` parts from `main`. */
class Repository implements AsyncDisposable {
  readonly #world: World;
  readonly path: string;

  private constructor(world: World) {
    this.#world = world;
    this.path = join(world.directory, "repo");
  }

  static async make(): Promise<Repository> {
    const repository = new Repository(await World.make());
    await Deno.mkdir(repository.path);
    await repository.git("init", "--quiet", "--initial-branch=main", "--template=");
    await repository.commit("main", { "a.txt": LINES.join(""), "old.txt": "old\n" });
    await repository.git("branch", "work");
    return repository;
  }

  git(...args: string[]): Promise<string> {
    return this.#world.git(this.path, ...args);
  }

  /** Runs git with text on its standard input. */
  async feed(args: string[], stdin: string): Promise<void> {
    const ran = await this.#world.command("git", args, { cwd: this.path, stdin });
    assertEquals(ran.code, 0, ran.stderr);
  }

  /** Commits files on a branch; null deletes one. */
  async commit(
    branch: string,
    files: Record<string, string | Uint8Array | null>,
    message = "Change",
  ): Promise<string> {
    if (await this.git("branch", "--show-current") !== branch) {
      await this.git("switch", "--quiet", branch);
    }
    for (const [name, content] of Object.entries(files)) {
      if (content === null) await this.git("rm", "--quiet", name);
      else {
        await Deno.writeFile(
          join(this.path, name),
          typeof content === "string" ? new TextEncoder().encode(content) : content,
        );
        await this.git("add", "--", `:(literal)${name}`);
      }
    }
    await this.git("commit", "--quiet", "-m", message);
    return await this.git("rev-parse", "HEAD");
  }

  /** Puts everything of `work` into one commit on `main`. */
  async squash(): Promise<string> {
    await this.git("switch", "--quiet", "main");
    await this.git("merge", "--quiet", "--squash", "work");
    await this.git("commit", "--quiet", "-m", "All of it (#7)");
    return await this.git("rev-parse", "HEAD");
  }

  async landing(): Promise<Landing> {
    const tip = await this.git("rev-parse", "work");
    const base = await this.git("rev-parse", "main");
    return await new Git(realSystem()).at(this.path, "repo").integrated.find(tip, base);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#world[Symbol.asyncDispose]();
  }
}

function withLine(index: number, text: string, lines: readonly string[] = LINES): string {
  return lines.map((line, at) => at === index ? `${text}\n` : line).join("");
}

const NOT = { how: null, commit: null, unknown: null };

Deno.test("Git.landed.find() finds a squash, also among later and earlier commits of the base", async () => {
  await using repo = await Repository.make();
  await repo.commit("work", {
    "a.txt": withLine(3, "mine"),
    "new ü.txt": "one\n",
    "old.txt": null,
  });
  await repo.commit("work", { "new ü.txt": "one\ntwo\n", "deep.bin": new Uint8Array([0, 1, 255]) });
  assertEquals(await repo.landing(), NOT);
  await repo.commit("main", { "a.txt": withLine(30, "theirs") });
  const commit = await repo.squash();
  assertEquals(await repo.landing(), { how: "squashed", commit, unknown: null });
  await repo.commit("main", { "a.txt": withLine(3, "changed again") });
  await repo.commit("main", { "new ü.txt": null });
  assertEquals(await repo.landing(), { how: "squashed", commit, unknown: null });
  // Commits added to the branch afterwards have not landed.
  await repo.commit("work", { "more.txt": "more\n" });
  assertEquals(await repo.landing(), NOT);
});

Deno.test("Git.landed.find() finds a squash of a branch that the base was merged into", async () => {
  await using repo = await Repository.make();
  await repo.commit("work", { "a.txt": withLine(3, "mine") });
  await repo.commit("main", { "b.txt": "theirs\n" });
  await repo.git("switch", "--quiet", "work");
  await repo.git("merge", "--quiet", "--no-edit", "main");
  await repo.commit("work", { "c.txt": "mine\n" });
  const commit = await repo.squash();
  assertEquals(await repo.landing(), { how: "squashed", commit, unknown: null });
});

Deno.test("Git.landed.find() finds commits that were rebased, and not a part of them", async () => {
  await using repo = await Repository.make();
  await repo.commit("work", { "a.txt": withLine(3, "mine") });
  await repo.commit("work", { "b.txt": "mine\n" });
  await repo.commit("main", { "c.txt": "theirs\n" });
  await repo.git("switch", "--quiet", "main");
  await repo.git("cherry-pick", "work~1");
  assertEquals(await repo.landing(), NOT);
  await repo.git("cherry-pick", "work");
  await repo.commit("main", { "b.txt": "theirs\n", "a.txt": withLine(3, "theirs") });
  assertEquals(await repo.landing(), { how: "rebased", commit: null, unknown: null });
});

Deno.test("Git.landed.until() finds the newest commit up to which a branch has landed", async () => {
  await using repo = await Repository.make();
  const ends = [
    await repo.commit("work", { "a.txt": withLine(3, "mine") }),
    await repo.commit("work", { "b.txt": "mine\n" }),
  ];
  const until = async (...likely: string[]) =>
    await new Git(realSystem()).at(repo.path, "repo").integrated.until(
      await repo.git("rev-parse", "work"),
      await repo.git("rev-parse", "main"),
      { likely, guess: likely.length === 0 },
    );
  assertEquals(await until(), null);
  await repo.squash();
  await repo.commit("work", { "b.txt": "more\n" });
  await repo.commit("work", { "c.txt": "more\n" });
  assertEquals(await until(), ends[1]);
  assertEquals(await until("no commit of it", ends[1] ?? ""), ends[1]);
  assertEquals(await until("no commit of it"), null);
  // What was merged since has brought the branch up to date.
  await repo.git("merge", "--quiet", "--strategy=ours", "main");
  await repo.commit("work", { "d.txt": "more\n" });
  await repo.commit("main", { "e.txt": "theirs\n" });
  assertEquals(await until(...ends), null);
});

Deno.test("Git.landed.find() finds nothing that was taken back, until it comes once more", async () => {
  await using repo = await Repository.make();
  await repo.commit("work", { "a.txt": withLine(3, "mine"), "b.txt": "mine\n", "old.txt": null });
  await repo.squash();
  assertEquals((await repo.landing()).how, "squashed");
  await repo.git("revert", "--no-edit", "HEAD");
  assertEquals(await repo.landing(), NOT);
  await repo.commit("main", { "c.txt": "theirs\n" });
  await repo.git("revert", "--no-edit", "HEAD~1");
  assertEquals((await repo.landing()).how, "squashed");
});

Deno.test("Git.landed.find() finds changes that came in parts or with others, while they are there", async () => {
  await using repo = await Repository.make();
  await repo.commit("work", { "a.txt": withLine(3, "mine") });
  await repo.commit("work", {
    "a.txt": withLine(20, "mine", withLine(3, "mine").split(/(?<=\n)/)),
  });
  const both = withLine(20, "mine", withLine(3, "mine").split(/(?<=\n)/)).split(/(?<=\n)/);
  await repo.commit("main", { "a.txt": withLine(30, "theirs", both), "b.txt": "theirs\n" });
  assertEquals(await repo.landing(), { how: "content", commit: null, unknown: null });
  await repo.commit("main", { "a.txt": withLine(20, "changed", both) });
  assertEquals(await repo.landing(), NOT);
});

Deno.test("Git.landed.find() takes for the same only what is the same to the byte", async (t) => {
  const cases: Record<string, [mine: Uint8Array | string, theirs: Uint8Array | string]> = {
    "bytes that are no text": [new Uint8Array([0xe4, 10]), new Uint8Array([0xf6, 10])],
    "blanks": ["if x:\n  y\n", "if x:\n    y\n"],
    "binary files": [new Uint8Array([0, 1, 2]), new Uint8Array([0, 1, 3])],
    "line ends": ["one\r\n", "one\n"],
    "no line end": ["one", "one\n"],
  };
  for (const [name, [mine, theirs]] of Object.entries(cases)) {
    await t.step(name, async () => {
      await using repo = await Repository.make();
      await repo.commit("work", { "x": mine });
      await repo.commit("main", { "x": theirs });
      assertEquals(await repo.landing(), NOT);
    });
  }
  await t.step("modes", async () => {
    await using repo = await Repository.make();
    await repo.git("switch", "--quiet", "work");
    await repo.git("update-index", "--chmod=+x", "old.txt");
    await repo.git("commit", "--quiet", "-m", "Executable");
    await repo.git("reset", "--quiet", "--hard");
    await repo.commit("main", { "b.txt": "theirs\n" });
    assertEquals(await repo.landing(), NOT);
  });
  await t.step("one commit for two", async () => {
    await using repo = await Repository.make();
    const long = (count: number) => "same\n".repeat(20 + count);
    await repo.commit("main", { "r.txt": long(0) });
    await repo.git("branch", "--force", "work", "main");
    await repo.commit("work", { "r.txt": long(1) });
    await repo.commit("work", { "r.txt": long(2) });
    await repo.commit("main", { "r.txt": long(1) });
    assertEquals((await repo.landing()).how, null);
  });
});

Deno.test("Git.landed.find() says no, and why, where it cannot tell", async () => {
  await using repo = await Repository.make();
  await repo.commit("work", { "b.txt": "mine\n" });
  await repo.commit("work", { "b.txt": null });
  await repo.commit("main", { "c.txt": "theirs\n" });
  assertMatch((await repo.landing()).unknown ?? "", /change nothing when taken together/);
  await repo.git("switch", "--quiet", "--orphan", "other");
  await repo.commit("other", { "d.txt": "alone\n" });
  await repo.git("branch", "--force", "work", "other");
  assertMatch((await repo.landing()).unknown ?? "", /no commit in common/);
});

Deno.test("Git.landed.find() looks through no history without end, but at what is there now", async () => {
  await using repo = await Repository.make();
  await repo.commit("work", { "b.txt": "mine\n" });
  await repo.commit("main", { "c.txt": "theirs\n" });
  const tree = await repo.git("rev-parse", "main^{tree}");
  const commits = Array.from(
    { length: 20_000 },
    (_, index) =>
      `commit refs/heads/main\ncommitter T <t@example.invalid> ${
        1_800_000_000 + index
      } +0000\ndata 0\n${index === 0 ? "from refs/heads/main^0\n" : ""}`,
  );
  await repo.feed(["fast-import", "--quiet"], `${commits.join("")}done\n`);
  assertEquals(await repo.git("rev-parse", "main^{tree}"), tree);
  assertMatch((await repo.landing()).unknown ?? "", /^20001 commits have followed there/);
  await repo.git("reset", "--quiet", "--hard");
  await repo.commit("main", { "b.txt": "mine\n" });
  assertEquals((await repo.landing()).how, "content");
});

Deno.test("Git.landed.find() does not depend on configuration", async () => {
  await using repo = await Repository.make();
  await repo.commit("work", { "a.txt": withLine(3, "mine"), "b.txt": "mine\n" });
  await repo.commit("work", { "a.txt": withLine(3, "mine again") });
  const commit = await repo.squash();
  for (
    const [name, value] of [
      ["diff.noprefix", "true"],
      ["diff.mnemonicPrefix", "true"],
      ["diff.renames", "copies"],
      ["diff.context", "0"],
      ["diff.external", "false"],
      ["diff.algorithm", "patience"],
      ["color.ui", "always"],
      ["log.showSignature", "true"],
      ["core.quotePath", "true"],
      ["diff.relative", "true"],
      ["diff.wsErrorHighlight", "all"],
    ] as const
  ) await repo.git("config", name, value);
  assertEquals(await repo.landing(), { how: "squashed", commit, unknown: null });
});

Deno.test("Git.landed.find() does not judge branches that were merged in both directions", async () => {
  await using repo = await Repository.make();
  const theirs = await repo.commit("main", { "c.txt": "theirs\n" });
  const mine = await repo.commit("work", { "b.txt": "mine\n" });
  await repo.git("merge", "--quiet", "--no-edit", theirs);
  await repo.git("switch", "--quiet", "main");
  await repo.git("merge", "--quiet", "--no-edit", mine);
  await repo.commit("work", { "d.txt": "more\n" });
  await repo.commit("main", { "e.txt": "more\n" });
  assertMatch((await repo.landing()).unknown ?? "", /merged in both directions/);
});
