/**
 * Whether the changes of a branch have landed in another one in a form that its commits do not show: squashed
 * into one commit, rebased, or merged in parts. Reached as `git.at(directory).landed`.
 *
 * A branch is deleted on this answer. So it goes by the bytes of the changes, and says no where it cannot tell.
 * Only commands that write no objects are used, and only those whose output no configuration changes.
 */

import { defined } from "../../base/object.ts";
import { AmofError } from "../../base/error.ts";
import { RepositoryPart } from "../call/part.ts";
import { History } from "./history.ts";

/** The most commits of the other branch that are looked through. */
const MOST_COMMITS = 20_000;
/** The most commits of the branch itself that are looked for one by one. */
const MOST_OWN = 200;
/** The most commits of the branch that are tried as the last one that has landed, where nothing tells which it was. */
const MOST_ENDS = 20;
/** The most commits that touch the same files. */
const MOST_TOUCHING = 2_000;
/** The most commits that are compared line by line. */
const MOST_CANDIDATES = 200;

/** How the changes of a branch have landed, or why that is not known. */
export interface Landing {
  /**
   * `squashed` into the one commit `commit`; `rebased`, each commit for itself; or as `content`, every changed line
   * being there; null when they have not.
   */
  readonly how: "squashed" | "rebased" | "content" | null;
  readonly commit: string | null;
  /** Why it could not be decided, or null. */
  readonly unknown: string | null;
}

const NOT: Landing = { how: null, commit: null, unknown: null };

/** How every difference is asked for. */
const DIFF = [
  "diff-tree",
  "-r",
  "--root",
  "--no-color",
  "--no-renames",
  "--no-ext-diff",
  "--no-textconv",
  "--no-relative",
  "--ignore-submodules=none",
  "--submodule=short",
  "--full-index",
  "--diff-algorithm=myers",
  "--src-prefix=a/",
  "--dst-prefix=b/",
  "--text",
];

interface Own {
  readonly whole: Patch;
  /** The patches of its commits; null when they cannot be told apart. */
  readonly commits: readonly Patch[] | null;
}

/** Whether changes have landed. */
export class Integrated extends RepositoryPart {
  /**
   * How the changes that `tip` has and `base` has not, by their commits, are in `base` nevertheless. At most eleven
   * processes. Never throws but for a cancellation.
   */
  async find(tip: string, base: string): Promise<Landing> {
    try {
      return await this.#find(tip, base);
    } catch (error) {
      if (!(error instanceof AmofError) || error.code === "cancelled") throw error;
      return { ...NOT, unknown: error.message };
    }
  }

  /**
   * The newest commit before `tip` up to which its changes have landed in `base`, in another form than its
   * commits. Null where there is none. It is asked where the changes of `tip` itself have not landed.
   *
   * Commits in `likely` are tried first, and others where they are to be guessed. A merge into the branch has
   * brought it up to date, so only commits without a merge behind them are tried. Never throws but for a
   * cancellation.
   */
  async until(
    tip: string,
    base: string,
    { likely, guess }: { readonly likely: readonly string[]; readonly guess: boolean },
  ): Promise<string | null> {
    try {
      const [theirs] = await this.#counts(tip, base);
      if (theirs === 0) return null;
      const listed = lines(
        await this.#ask(["rev-list", "--parents", "--first-parent", tip, `^${base}`, "--"]),
      ).map((line) => line.split(" "));
      const merge = listed.findIndex((commit) => commit.length > 2);
      const ends = listed.slice(1, merge < 0 ? undefined : merge + 1).map(([id = ""]) => id);
      const first = ends.filter((id) => likely.includes(id));
      const others = ends.slice(0, guess ? MOST_ENDS : 0).filter((id) => !likely.includes(id));
      for (const end of merge === 0 ? [] : [...first, ...others]) {
        if ((await this.#find(end, base)).how !== null) return end;
      }
    } catch (error) {
      if (!(error instanceof AmofError) || error.code === "cancelled") throw error;
    }
    return null;
  }

  async #find(tip: string, base: string): Promise<Landing> {
    const starts = await this.#starts(tip, base);
    const [start] = starts;
    if (start === undefined) {
      const unknown = await new History(this.git).isShallowHere()
        ? "the history here ends before they meet"
        : "they have no commit in common";
      return { ...NOT, unknown };
    }
    if (starts.length > 1) return { ...NOT, unknown: "they have been merged in both directions" };
    const [theirs, mine] = await this.#counts(tip, base);
    const whole = await this.#between(start, tip);
    if (whole.files.length === 0) {
      return { ...NOT, unknown: "its commits change nothing when taken together" };
    }
    const own: Own = { whole, commits: await this.#own(tip, base, mine) };
    const searched = theirs <= MOST_COMMITS;
    const found = searched ? await this.#search(own, start, base) : NOT;
    if (found.how !== null) return found;
    const [part, all] = [
      await this.#between(start, tip, true),
      await this.#between(start, base, true),
    ];
    if (includes(all, part)) return { ...NOT, how: "content" };
    return searched
      ? found
      : { ...NOT, unknown: `${theirs} commits have followed there, more than are looked through` };
  }

  /** Where the two have parted. Git answers 1 where they have nothing in common. */
  async #starts(tip: string, base: string): Promise<string[]> {
    const result = await this.git.ask(
      ["merge-base", "--all", base, tip],
      { access: "read" },
      `compare the branches of "${this.git.name}"`,
      ({ exitCode }) => exitCode === 1,
    );
    return lines(result?.stdout ?? "");
  }

  async #counts(tip: string, base: string): Promise<[number, number]> {
    const output = await this.#ask(
      ["rev-list", "--left-right", "--count", `${base}...${tip}`, "--"],
    );
    const [theirs = Infinity, mine = Infinity] = output.trim().split("\t").map(Number);
    return [theirs, mine];
  }

  #ask(args: readonly string[], stdin?: string): Promise<string> {
    return this.git.must(
      args,
      { access: "read", ...defined({ stdin }) },
      `compare the branches of "${this.git.name}"`,
    );
  }

  /** The same as text of one character per byte. */
  async #bytes(args: readonly string[], stdin?: string): Promise<string> {
    const bytes = await this.git.mustBytes(
      args,
      { access: "read", ...defined({ stdin }) },
      `compare the branches of "${this.git.name}"`,
    );
    return new TextDecoder("latin1").decode(bytes);
  }

  async #between(from: string, to: string, exact = false): Promise<Patch> {
    const context = exact ? "--unified=0" : "--unified=3";
    return parsePatch(
      await this.#bytes([...DIFF, context, "--patch-with-raw", from, to, "--"]),
    );
  }

  /** What commits change, each for itself. One process. */
  async #each(
    commits: readonly string[],
    what: "--raw" | "--patch-with-raw",
  ): Promise<Map<string, Patch>> {
    if (commits.length === 0) return new Map();
    const output = await this.#bytes(
      [...DIFF, "--unified=3", what, "--abbrev=64", "--stdin", "--always"],
      `${commits.join("\n")}\n`,
    );
    // No line of a patch looks like the name of a commit: each has a sign or a word in front. Only a line feed ends
    // a line here, so that the text of a file cannot begin one.
    const parts = output.split(/(?:^|\n)([0-9a-f]{40}|[0-9a-f]{64})(?=\n|$)/);
    const found = new Map<string, Patch>();
    for (let index = 1; index < parts.length; index += 2) {
      found.set(parts[index] ?? "", parsePatch(parts[index + 1] ?? ""));
    }
    return found;
  }

  /** The patches of the branch's own commits. A merge among them may hold more than its parents do. */
  async #own(tip: string, base: string, count: number): Promise<Patch[] | null> {
    if (count > MOST_OWN) return null;
    const listed = lines(
      await this.#ask(["rev-list", "--parents", tip, `^${base}`, "--"]),
    ).map((line) => line.split(" "));
    if (listed.some((commit) => commit.length > 2)) return null;
    const found = await this.#each(listed.map(([id = ""]) => id), "--patch-with-raw");
    const patches = listed.map(([id = ""]) => found.get(id));
    // Commits without changes cannot be recognised by their content.
    const all = patches.filter((patch) => patch !== undefined && patch.files.length > 0);
    return all.length === listed.length ? all.filter((patch) => patch !== undefined) : null;
  }

  /** Looks for commits that make the same changes. */
  async #search(own: Own, start: string, base: string): Promise<Landing> {
    const wanted = [own.whole, ...own.commits ?? []];
    const names = new Set(
      wanted.flatMap(({ files }) => files.map((file) => file.slice(file.indexOf("\t") + 1))),
    );
    const touching = lines(
      await this.#ask(
        [
          "rev-list",
          "--no-merges",
          "--full-history",
          `--max-count=${MOST_TOUCHING}`,
          "--stdin",
        ],
        [
          base,
          `^${start}`,
          "--",
          ...([...names].some((name) => !/^[\w./@+ -]+$/.test(name))
            ? []
            : [...names].map((name) => `:(top,literal)${name}`)),
          "",
        ].join("\n"),
      ),
    );
    const keys = new Set(wanted.flatMap((patch) => [filesKey(patch), filesKey(reversed(patch))]));
    const candidates = [...await this.#each(touching, "--raw")]
      .filter(([, patch]) => keys.has(filesKey(patch))).map(([id]) => id);
    const patches = await this.#each(
      candidates.slice(0, MOST_CANDIDATES),
      "--patch-with-raw",
    );
    const known = Map.groupBy(patches, ([, patch]) => patchKey(patch));
    // What was taken back is not there, unless it came once more.
    const isBack = (patch: Patch) => {
      const back = known.get(patchKey(reversed(patch)))?.length ?? 0;
      return back > 0 && back >= (known.get(patchKey(patch))?.length ?? 0);
    };
    const squashed = known.get(patchKey(own.whole))?.[0]?.[0];
    if (squashed !== undefined && !isBack(own.whole)) {
      return { ...NOT, how: "squashed", commit: squashed };
    }
    const isGone = own.commits?.some(isBack) ?? false;
    // Each commit needs a counterpart of its own, so a matched one is taken out.
    if (
      !isGone &&
      own.commits?.every((patch) => known.get(patchKey(patch))?.pop() !== undefined)
    ) {
      return { ...NOT, how: "rebased" };
    }
    return touching.length < MOST_TOUCHING && candidates.length <= MOST_CANDIDATES
      ? NOT
      : { ...NOT, unknown: "too many commits there touch the same files" };
  }
}

function lines(output: string): string[] {
  return output.split("\n").filter((line) => line !== "");
}

// Reads what `git diff-tree --patch-with-raw --text` prints, to tell whether two changes are the same: pure.
//
// Texts hold one character per byte, so that no two bytes look alike.

/** What one commit, or a range of them, changes. */
export interface Patch {
  /** For each file its modes, what happened to it, and its name as git writes it. */
  readonly files: readonly string[];
  /** Where the lines changed, file by file: the header that names a file, and its hunks. */
  readonly hunks: ReadonlyMap<string, readonly Hunk[]>;
}

/** Lines of one place of a file. */
interface Hunk {
  /** Which lines of the old file, as in `-10,2`. */
  readonly old: string;
  /** The lines with the sign in front of each. */
  readonly body: string;
}

/** Reads one patch. */
export function parsePatch(text: string): Patch {
  const files: string[] = [];
  const hunks = new Map<string, Hunk[]>();
  let at: Hunk[] | null = null;
  let old = "";
  let body: string[] | null = null;
  const close = () => {
    if (at !== null && body !== null) at.push({ old, body: body.join("\n") });
    body = null;
  };
  for (const line of text.split("\n")) {
    if (line.startsWith("diff --git ")) {
      close();
      // A file that becomes a link is told in two parts under one name.
      at = hunks.get(line) ?? [];
      hunks.set(line, at);
    } else if (line.startsWith("@@ ")) {
      close();
      old = line.split(" ")[1] ?? "";
      body = [];
    } else if (body !== null) {
      if (/^[-+ \\]/.test(line)) body.push(line);
    } else if (at === null && line.startsWith(":")) {
      const [facts = "", name = ""] = splitOnce(line.slice(1), "\t");
      const [before = "", after = "", , , what = ""] = facts.split(" ");
      files.push(`${before} ${after} ${what}\t${name}`);
    }
  }
  close();
  return { files: files.sort(), hunks };
}

function splitOnce(text: string, by: string): [string, string] {
  const at = text.indexOf(by);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + by.length)];
}

/** The files of a patch as one text, equal for patches of the same files in the same way. */
function filesKey({ files }: Pick<Patch, "files">): string {
  return files.join("\n");
}

/** A whole patch as one text, equal for the same changes wherever in their files they are. */
function patchKey(patch: Patch): string {
  const parts = [...patch.hunks].map(([name, hunks]) =>
    [name, ...hunks.map(({ body }) => body)].join("\n@@\n")
  );
  return [filesKey(patch), ...parts.sort()].join("\n\0\n");
}

/** Lines of a hunk the other way round: in each run of changes what was added is what goes, and comes first. */
function backwards(body: string): string {
  const lines: string[] = [];
  let [gone, come]: [string[], string[]] = [[], []];
  let last = lines;
  const close = () => {
    lines.push(...gone, ...come);
    [gone, come] = [[], []];
  };
  for (const line of body.split("\n")) {
    const sign = line[0];
    if (sign === " ") {
      close();
      last = lines;
    } else if (sign !== "\\") last = sign === "+" ? gone : come;
    last.push(sign === "+" ? `-${line.slice(1)}` : sign === "-" ? `+${line.slice(1)}` : line);
  }
  close();
  return lines.join("\n");
}

/** The patch that takes another back. */
function reversed({ files, hunks }: Patch): Patch {
  const turned = files.map((file) => {
    const [facts = "", name = ""] = splitOnce(file, "\t");
    const [before = "", after = "", what = ""] = facts.split(" ");
    return `${after} ${before} ${({ A: "D", D: "A" })[what] ?? what}\t${name}`;
  });
  return {
    files: turned.sort(),
    hunks: new Map(
      [...hunks].map(([name, all]) => [
        name,
        all.map(({ old, body }) => ({ old, body: backwards(body) })),
      ]),
    ),
  };
}

/** Whether a patch has all the changes of another, both from the same beginning. */
function includes(whole: Patch, part: Patch): boolean {
  const files = new Set(whole.files);
  if (!part.files.every((file) => files.has(file))) return false;
  return [...part.hunks].every(([name, hunks]) => {
    const there = new Set(whole.hunks.get(name)?.map(({ old, body }) => `${old}\n${body}`));
    return hunks.every(({ old, body }) => there.has(`${old}\n${body}`));
  });
}
