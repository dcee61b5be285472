/** Changes the text of the user file; the parser that keeps comments is loaded with the first change. */

/** The text with a setting set, or taken out where the value is undefined. The text must be valid YAML. */
export async function changedText(
  text: string,
  name: string,
  value: unknown,
): Promise<string> {
  const { removeEntry, setEntry } = await import("../../base/text/yaml_edit.ts");
  const [, alias] = /^aliases\.(.*)$/s.exec(name) ?? [];
  const path = alias === undefined ? [name] as const : ["aliases", alias] as const;
  return value === undefined ? removeEntry(text, path) : setEntry(text, path, value);
}
