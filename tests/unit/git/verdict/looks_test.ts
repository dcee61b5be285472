// Covers Verdicts.lastLook("some"), keepLook() and Trace: what came of a look is given again while all that it read stands.

import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { Git, type GitGuard, Trace, Verdicts } from "../../../../src/git/mod.ts";
import type { Files, System } from "../../../../src/base/system/mod.ts";
import { systemIn } from "../../../support/in_process.ts";
import { temporaryDirectory } from "../../_support.ts";

/** Longer than the clock of a file lags behind. */
function rest(): Promise<void> {
  return new Promise((ended) => setTimeout(ended, 40));
}

/** How somebody looks at a clone. */
interface Looking {
  readonly read: (files: Files, clone: string, system: System) => Promise<unknown>;
  readonly holds?: boolean;
  readonly key?: string;
  readonly behindMs?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Done before what was read is kept. */
  readonly meanwhile?: () => Promise<void>;
}

/** A clone, and programs that look at it one after the other. */
class Place {
  readonly clone: string;
  readonly warnings: string[] = [];
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
    this.clone = join(directory, "clones", "one");
  }

  async sh(script: string): Promise<void> {
    await Deno.mkdir(this.clone, { recursive: true });
    const { code } = await new Deno.Command("sh", {
      args: ["-c", script],
      cwd: this.clone,
      env: { HOME: this.#directory, GIT_CONFIG_NOSYSTEM: "1" },
    }).output();
    assertEquals(code, 0, script);
  }

  /** Looks as a program of its own; answers whether that was spared. */
  async look(
    { read, holds = true, key = "a", behindMs = 0, env = {}, meanwhile }: Looking,
  ): Promise<boolean> {
    const home = { PATH: Deno.env.get("PATH") ?? "", HOME: this.#directory };
    const real = systemIn({
      cwd: this.#directory,
      env: { ...home, GIT_CONFIG_NOSYSTEM: "1", ...env },
      program: () => ["amof"],
    });
    const system = { ...real, clock: { ...real.clock, now: () => Date.now() - behindMs } };
    const books = join(this.#directory, "books");
    const verdicts = new Verdicts(system, () => books, (line) => this.warnings.push(line));
    const guard: GitGuard = {
      before: () => Promise.resolve(null),
      suspects: () => Promise.resolve(null),
      holds: () => Promise.resolve(holds),
    };
    const git = new Git(system).guarded(guard).remembering(verdicts);
    const last = await git.at(this.clone).lastLook("some");
    if (last?.key === key) return true;
    const trace = new Trace(system);
    await git.traced(trace).at(this.clone).status();
    const found = await read(trace.system.files, this.clone, trace.system);
    await meanwhile?.();
    await git.at(this.clone).keepLook(trace, { kind: "some", key, found });
    await verdicts.keep();
    return false;
  }
}

const GIT_FILES =
  "printf one > .git/note; mkdir .git/kept; printf two > .git/kept/two; mkdir -p .git/deep/er";

async function placeIn(directory: string): Promise<Place> {
  const place = new Place(directory);
  await place.sh(
    `git init -q . && git -c user.name=T -c user.email=t@example.invalid commit -q --allow-empty -m One; ${GIT_FILES}`,
  );
  await rest();
  return place;
}

/** Everything that may be read, of what git itself does not answer for. */
const read: Looking["read"] = async (files, clone) => [
  await files.readText(join(clone, ".git", "note")),
  await files.exists(join(clone, ".git", "deep", "er", "none")),
  (await files.list(join(clone, ".git"))).map(({ name }) => name),
  (await files.list(join(clone, ".git", "kept"))).map(({ name }) => name),
  (await files.stamps(clone, [".git/kept/two", ".git/kept/none"])).length,
];

const ignore = Deno.build.os !== "linux";

Deno.test({
  name: "what came of a look is given again until something that it read has changed",
  ignore,
  async fn() {
    const rows: [deed: string, isSpared: boolean][] = [
      ["true", true],
      ["git status", true],
      ["printf uno > .git/note", false],
      ["printf one > .git/other; mv .git/other .git/note", false],
      ["rm .git/note", false],
      ["printf one > .git/deep/er/none", false],
      ["printf one > .git/more", false],
      ["rm -r .git/description", false],
      ["touch .git/index.lock; rm .git/index.lock", true],
      ["printf three > .git/kept/three", false],
      ["printf two > .git/kept/two", false],
      ["ln -s two .git/kept/none", false],
      ["printf one > new.txt", false],
      ["git config core.fileMode false", false],
      ["git config --global core.fileMode false", false],
    ];
    for (const [deed, isSpared] of rows) {
      await using directory = temporaryDirectory();
      const place = await placeIn(directory.path);
      const first = [await place.look({ read }), await place.look({ read })];
      await place.look({ read });
      assertEquals([...first, await place.look({ read })], [false, false, true], deed);
      await rest();
      await place.sh(deed);
      assertEquals(await place.look({ read }), isSpared, deed);
      assertEquals(place.warnings, []);
    }
  },
});

Deno.test({
  name: "a look that nobody can be sure of is not kept, and one for something else not given",
  ignore,
  async fn() {
    const writing = (place: Place) => async () => await place.sh("printf uno > .git/note");
    const rows: [why: string, looking: (place: Place) => Partial<Looking>, isSpared: boolean][] = [
      ["nothing", () => ({}), true],
      ["no seal", () => ({ holds: false }), false],
      ["changed meanwhile", (place) => ({ meanwhile: writing(place) }), false],
      ["something that is not noted", () => ({
        read: async (files, clone) => await files.realPath(clone),
      }), false],
      ["a link", () => ({
        read: async (files, clone) => await files.readText(join(clone, ".git", "link")),
      }), false],
      ["a failure", () => ({
        read: async (files, clone) => await files.readText(join(clone, ".git")).catch(() => null),
      }), false],
      ["another key", () => ({ key: "b" }), false],
      ["a clock that is behind", () => ({ behindMs: 3_600_000 }), false],
      ["another environment", () => ({ env: { GIT_DIR_OF_ALL: "x" } }), false],
    ];
    for (const [why, looking, isSpared] of rows) {
      await using directory = temporaryDirectory();
      const place = await placeIn(directory.path);
      await place.sh("ln -s note .git/link");
      await rest();
      const isKept = /key|clock|environment/.test(why);
      const way = { read, ...looking(place) };
      for (let turn = 0; turn < 3; turn++) await place.look(isKept ? { read } : way);
      const { meanwhile: _, ...last } = way;
      assertEquals(await place.look(last), isSpared, why);
    }
  },
});

Deno.test({
  name:
    "a clone of which something else came although nothing had changed is looked into from then on",
  ignore,
  async fn() {
    await using directory = temporaryDirectory();
    const place = await placeIn(directory.path);
    let answer = "one";
    const look = () => place.look({ read: () => Promise.resolve(answer) });
    for (let turn = 0; turn < 4; turn++) await look();
    answer = "two";
    // Each clone has its turn.
    for (let turn = 0; turn < 9 && place.warnings.length === 0; turn++) await look();
    assertEquals(place.warnings.map((line) => /^one: git says something else/.test(line)), [true]);
    assertEquals([await look(), await look(), await look()], [false, false, false]);
  },
});
