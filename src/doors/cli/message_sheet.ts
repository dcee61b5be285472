/** The file in which a person writes the messages of commits in several repositories, and what it says afterwards. */

/** A repository with something to commit. */
export interface Planned {
  readonly name: string;
  readonly branch: string;
  readonly commit_files: number;
  readonly files: readonly { readonly path: string; readonly change: string }[];
}

interface SheetStart {
  readonly repos: readonly Planned[];
  /** What an empty message leads to: "stops the push". */
  readonly empty: string;
  /** The messages that are there already, by repository, that of all others under ""; absent where only one is taken. */
  readonly messages?: ReadonlyMap<string, string>;
  /** What begins comments; see {@linkcode commentStart}. */
  readonly comment: string;
}

/** Characters that may begin a comment, as those that git tries. */
const COMMENTS = ["#", ";", "@", "!", "$", "%", "^", "&", "|", ":"] as const;

/**
 * What begins comments: what git is told to take, or else a character, with which no line of the messages begins. `wish`
 * is git's setting; with `auto` or null there is none.
 */
export function commentStart(messages: Iterable<string> = [], wish: string | null = null): string {
  const lines = [...messages].flatMap((text) => text.split("\n"));
  const isFree = (start: string) => !lines.some((line) => line.startsWith(start));
  const wished = wish === null || wish === "auto" || /[\n\r]/.test(wish) ? [] : [wish];
  return [...wished, ...COMMENTS].find(isFree) ?? COMMENTS[0];
}

/** The line above the message of one repository. */
function heading(repo: string): string {
  return `[${repo}]`;
}

/** What stands in the editor at first: the messages that are there, and nothing but comments besides. */
export function sheetText({ repos, empty, messages, comment }: SheetStart): string {
  const line = (text = "") => text === "" ? comment : `${comment} ${text}`;
  const common = messages?.get("");
  const own = [...messages ?? []].filter(([repo]) => repo !== "");
  const example = repos[0]?.name ?? "";
  return [
    ...(common === undefined && own.length > 0 ? [] : [common?.trimEnd() ?? ""]),
    ...own.flatMap(([repo, message]) => ["", heading(repo), message.trimEnd()]),
    ...(own.length > 0 || common !== undefined ? [""] : []),
    line(`Write the message of the commits below. Lines that begin with ${comment} are left out;`),
    line(`an empty message ${empty}.`),
    ...(messages !== undefined && repos.length > 1
      ? [
        line(),
        line("A repository gets a message of its own behind a line with its name in brackets:"),
        line(),
        line(`  ${heading(example)}`),
        line(`  What changed in ${example}`),
        line(),
        line("What stands above the first such line is for all others."),
      ]
      : []),
    ...repos.flatMap(({ name, branch, commit_files, files }) => [
      line(),
      line(`${name} on ${branch}:`),
      ...files.map(({ path, change }) => line(`  ${change.padEnd(9)}  ${path}`)),
      ...(commit_files > files.length ? [line(`  … and ${commit_files - files.length} more`)] : []),
    ]),
    "",
  ].join("\n");
}

/** The message without comments, blank lines around it, and blanks at the ends of lines. */
function cleaned(lines: readonly string[]): string {
  return lines.map((line) => line.trimEnd()).join("\n").replace(/^\n+|\n+$/g, "");
}

/** The lines of a sheet that are no comments. */
function written(text: string, comment: string): string[] {
  return text.split(/\r?\n/).filter((line) => !line.startsWith(comment));
}

/** The one message of a sheet; empty where there is none. */
export function messageIn(text: string, comment: string): string {
  return cleaned(written(text, comment));
}

/**
 * The messages of a sheet by repository, that of all others under "". A line with a name in brackets begins a message
 * only where that is one of `names`.
 */
export function messagesIn(
  text: string,
  names: readonly string[],
  comment: string,
): ReadonlyMap<string, string> {
  const parts = new Map<string, string[]>([["", []]]);
  let current = "";
  for (const line of written(text, comment)) {
    const name = names.find((repo) => line.trim() === heading(repo));
    if (name !== undefined) {
      current = name;
      // A second part for the same repository goes on with the first.
      if (!parts.has(name)) parts.set(name, []);
    } else parts.get(current)?.push(line);
  }
  return new Map(
    [...parts].map(([repo, lines]): [string, string] => [repo, cleaned(lines)])
      .filter(([repo, message]) => repo !== "" || message !== ""),
  );
}
