/** What is wrong in the user file, and how it is told. */

/** Something wrong in the file. */
export interface SettingsProblem {
  /** The setting, such as `aliases.st`; empty for the file as a whole. */
  readonly name: string;
  /** From 1; null for the file as a whole. */
  readonly line: number | null;
  readonly message: string;
}

/** "line 3: color must be auto, always or never, not 7": a problem in one line. */
export function problemLine({ name, line, message }: SettingsProblem): string {
  const what = name === "" ? message : `${name}${/^did/.test(message) ? ";" : ""} ${message}`;
  return `${line === null ? "" : `line ${line}: `}${what}`;
}
