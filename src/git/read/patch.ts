/**
 * Reads what `git diff-tree --patch-with-raw --text` prints, to tell whether two changes are the same: pure.
 *
 * Texts hold one character per byte, so that no two bytes look alike.
 */

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
export function filesKey({ files }: Pick<Patch, "files">): string {
  return files.join("\n");
}

/** A whole patch as one text, equal for the same changes wherever in their files they are. */
export function patchKey(patch: Patch): string {
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
export function reversed({ files, hunks }: Patch): Patch {
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
export function includes(whole: Patch, part: Patch): boolean {
  const files = new Set(whole.files);
  if (!part.files.every((file) => files.has(file))) return false;
  return [...part.hunks].every(([name, hunks]) => {
    const there = new Set(whole.hunks.get(name)?.map(({ old, body }) => `${old}\n${body}`));
    return hunks.every(({ old, body }) => there.has(`${old}\n${body}`));
  });
}
