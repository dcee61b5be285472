/**
 * Values as YAML writes them in one line; loads nothing.
 *
 * @module
 */

const RESERVED_WORDS = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

/** A text as a YAML scalar: plain when nothing could take it for something else. */
export function yamlScalar(text: string): string {
  const plain = /^[A-Za-z][A-Za-z0-9_./-]*$/.test(text) && !RESERVED_WORDS.test(text);
  return plain ? text : JSON.stringify(text);
}

/** Texts as a list in one line. */
export function yamlList(texts: readonly string[]): string {
  return `[${texts.map(yamlScalar).join(", ")}]`;
}
