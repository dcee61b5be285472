/** What the value of a flag is called in help and in refusals. */

/** Flags whose last word is not what they take. */
const OTHERWISE: Readonly<Record<string, string>> = {
  "adopt": "DIR",
  "allow-no-touch": "PATH",
  "allow-secret": "PATH",
  "at": "COMMIT",
  "base": "REPO=BRANCH",
  "body": "TEXT",
  "depends-on": "REPO",
  "description": "TEXT",
  "env": "NAME",
  "exclude-tools": "NAMES",
  "failed-from": "RUN",
  "from": "PATH",
  "from-org": "NAME",
  "head": "HASH",
  "initial": "VERSION",
  "message": "TEXT",
  "message-for": "REPO=TEXT",
  "only": "STATE",
  "out": "FILE",
  "output": "FILE",
  "products": "CODE",
  "project-root": "DIR",
  "resume": "RUN",
  "retry-failed": "RUN",
  "search": "TEXT",
  "shell": "LINE",
  "since": "WHEN",
  "stale": "WHEN",
  "ticket": "ID",
  "time-limit": "TIME",
  "tools": "NAMES",
  "toolsets": "NAMES",
  "until": "WHEN",
};

/** The flags that {@linkcode valueName} names by the list and not by their own last word. */
export const NAMED_OTHERWISE: readonly string[] = Object.keys(OTHERWISE);

/** Whether choices are too many to stand beside a flag. */
export function isLong(choices: readonly string[]): boolean {
  return choices.join("|").length > 50;
}

/** The name: the choices where they are few, `N` for numbers, else what is meant, as in `--lock-file FILE`. */
export function valueName(
  flag: string,
  type: "string" | "integer" | "array",
  choices: readonly string[],
): string {
  if (isLong(choices)) return "WORD";
  if (choices.length > 0) return choices.join("|");
  if (type === "integer") return "N";
  return OTHERWISE[flag] ?? flag.slice(flag.lastIndexOf("-") + 1).toUpperCase();
}
