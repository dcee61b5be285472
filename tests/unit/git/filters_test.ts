// Work that is put away, and checkpoints that are brought back, where what git makes of files has changed since they were
// checked out: git finds nothing changed then, and the work comes back byte for byte.

import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { Git } from "../../../src/git/mod.ts";
import { type Bounds, Checkpoints } from "../../../src/git/checkpoint/mod.ts";
import { Snapshots } from "../../../src/git/snapshot/mod.ts";
import { World } from "../../support/world.ts";
import { hermetic } from "../_support.ts";

const BOUNDS: Bounds = {
  fileBytes: 10_000,
  allBytes: 100_000,
  untracked: true,
  isExcluded: () => false,
};
const TITLE = { id: "0123abcd", branch: "main", name: "amof:T-1", at: 1_700_000_000_000 };

/** UTF-16 as little-endian words behind a byte order mark. */
function wide(text: string): Uint8Array {
  return new Uint8Array(
    Uint16Array.from([0xfeff, ...[...text].map((one) => one.charCodeAt(0))]).buffer,
  );
}

/** How one repository comes to make other files than it has. */
interface Kind {
  readonly name: string;
  /** Settings while the files are checked out, and those that count afterwards. */
  readonly before?: Readonly<Record<string, string>>;
  readonly after?: Readonly<Record<string, string>>;
  /** Attributes that are committed, or only written, afterwards. */
  readonly committed?: string;
  readonly written?: string;
  /** What a.md becomes; null where it is deleted. */
  readonly edit?: Uint8Array | null;
}

const CRLF = "* text=auto eol=crlf\n";
const UP = {
  "filter.up.smudge": "sed 's/^/> /'",
  "filter.up.clean": "sed 's/^> //'",
  "filter.up.required": "true",
};
const KINDS: readonly Kind[] = [
  { name: "autocrlf on, and a file is deleted", after: { "core.autocrlf": "true" }, edit: null },
  { name: "autocrlf on", after: { "core.autocrlf": "true" } },
  {
    name: "autocrlf off",
    before: { "core.autocrlf": "true" },
    after: { "core.autocrlf": "false" },
  },
  { name: "eol by attributes", committed: CRLF },
  { name: "eol by attributes that are not committed", written: CRLF },
  { name: "attributes that are no more", before: { "core.eol": "crlf" }, committed: "* -text\n" },
  { name: "ident", committed: "*.md ident\n" },
  {
    name: "an encoding of the working copy",
    committed: "*.md working-tree-encoding=UTF-16LE-BOM\n",
    edit: wide("mine\n"),
  },
  { name: "a filter", after: UP, committed: "*.md filter=up\n" },
  { name: "a filter of attributes that are not committed", after: UP, written: "*.md filter=up\n" },
];

async function configure(world: World, repo: string, settings: Kind["before"] = {}): Promise<void> {
  for (const [name, value] of Object.entries(settings)) {
    await world.git(repo, "config", name, value);
  }
}

/** A repository of this kind in which a.md was edited; `b.md` is as it was checked out. */
async function repositoryOf(world: World, kind: Kind): Promise<string> {
  const [source, repo] = [join(world.directory, "source"), join(world.directory, "it")];
  await Deno.mkdir(source);
  await world.git(source, "init", "-q", "--initial-branch=main");
  for (const name of ["a.md", "b.md"]) {
    await Deno.writeTextFile(join(source, name), `# ${name} $Id$\nline\n`);
  }
  await world.git(source, "add", ".");
  await world.git(source, "commit", "-q", "-m", "Begin");
  await world.git(world.directory, "clone", "-q", "--no-checkout", source, repo);
  await configure(world, repo, kind.before);
  await world.git(repo, "checkout", "-q", "main");
  // Git trusts what it remembers only of files that are older than its index.
  for (const name of ["a.md", "b.md"]) {
    await Deno.utime(join(repo, name), 1_700_000_000, 1_700_000_000);
  }
  await world.git(repo, "update-index", "--refresh");
  if (kind.committed !== undefined) {
    await Deno.writeTextFile(join(repo, ".gitattributes"), kind.committed);
    await world.git(repo, "add", ".gitattributes");
    await world.git(repo, "commit", "-q", "-m", "Attributes");
  }
  await configure(world, repo, kind.after);
  return repo;
}

async function edit(repo: string, { written, edit = new TextEncoder().encode("mine\n") }: Kind) {
  if (written !== undefined) await Deno.writeTextFile(join(repo, ".gitattributes"), written);
  if (edit === null) await Deno.remove(join(repo, "a.md"));
  else await Deno.writeFile(join(repo, "a.md"), edit);
}

for (const kind of KINDS) {
  Deno.test({
    name:
      `${kind.name}: git is clean when work was put away, and it comes back, by snapshot and by checkpoint`,
    ignore: Deno.build.os === "windows", // filters of a shell
    async fn() {
      await using world = await World.make();
      const repo = await repositoryOf(world, kind);
      const status = () => world.git(repo, "status", "--porcelain");
      const file = () => Deno.readFile(join(repo, "a.md")).catch(() => null);
      const it = new Git(hermetic(world)).at(repo, "it");
      const objects = join(world.directory, "objects");
      const clean = await it.part(Checkpoints).take(BOUNDS, it.part(Checkpoints).store(objects));
      assertEquals([await status(), clean.paths], ["", []]);
      await edit(repo, kind);
      const bytes = await file();
      const changed = await status();

      const taken = await it.part(Snapshots).take(TITLE);
      if (taken === null) throw new Error("nothing to keep");
      await it.stashes.store(taken.commit, "On main: amof:T-1");
      for (let round = 0; round < 2; round++) {
        assertEquals(await it.part(Snapshots).apply(taken.commit, "head"), {
          conflicts: [],
          strangers: [],
        });
        assertEquals(await status(), "");
        assertEquals(await it.part(Snapshots).apply(taken.commit, "kept"), {
          conflicts: [],
          strangers: [],
        });
        assertEquals([await file(), await status()], [bytes, changed]);
      }
      await it.stashes.drop(taken.commit);

      const worked = await it.part(Checkpoints).take(BOUNDS, it.part(Checkpoints).store(objects));
      await it.part(Checkpoints).bring({ from: worked, to: clean, bounds: BOUNDS, objects });
      assertEquals(await status(), "");
      await it.part(Checkpoints).bring({ from: clean, to: worked, bounds: BOUNDS, objects });
      assertEquals([await file(), await status()], [bytes, changed]);
    },
  });
}
