/**
 * Lines and escapes, for the tests of the command line.
 *
 * @module
 */

/** The words of a command line as a shell would split them; quotes only. */
export function split(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map((match) =>
    match[1] ?? match[2] ?? match[3] ?? ""
  );
}
