/** What is left to a person after the manifest was edited. */

/** The line that says so. */
export function committing(file: string): string {
  return `Commit ${file} for it to count for others, too.`;
}
