/**
 * Parts of the generated pages of reference, as Markdown.
 *
 * @module
 */

/** The head of a page: its title, where it comes from, and what it is for. */
export function head(title: string, about: string): string[] {
  return [
    "<!-- Written by `deno task golden` out of the declarations of the program. Changes here are lost. -->",
    "",
    `# ${title}`,
    "",
    about,
  ];
}

/** Words as they are typed; nothing for none. */
export function code(words: string): string {
  if (words === "") return "";
  return words.includes("`") ? `\`\` ${words} \`\`` : `\`${words}\``;
}

/** Words that nobody takes for markup. */
export function plain(text: string): string {
  return text.replaceAll("<", "&lt;").replaceAll("*", "\\*");
}

/** A cell: what would end it or its line is kept out, and outside of code what would be markup. */
function cell(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, " ").split(/(`[^`]*`|\[[^\]]*\]\([^)]*\))/)
    .map((part, index) => index % 2 === 0 ? plain(part) : part).join("")
    .replaceAll("|", "\\|").trim();
}

/** A table with its heading row; nothing where there are no rows. */
export function table(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): string[] {
  if (rows.length === 0) return [];
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  return ["", line(heads), `|${" --- |".repeat(heads.length)}`, ...rows.map(line)];
}

/** Lines in a block of a language. */
export function block(language: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", `\`\`\`${language}`, ...lines, "```"];
}

/** A page out of its lines. */
export function page(lines: readonly string[]): string {
  return `${lines.join("\n")}\n`;
}

/** Where a heading is linked to, as GitHub has it. */
export function anchor(heading: string): string {
  return heading.toLowerCase().replaceAll(/[^\p{L}\p{N}_ -]/gu, "").replaceAll(" ", "-");
}
