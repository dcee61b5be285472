/** Values as YAML writes them in one line; loads nothing. */

const RESERVED_WORDS = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

/** A text as a YAML scalar: plain when nothing could take it for something else. */
export function yamlScalar(text: string): string {
  const plain = /^[A-Za-z][A-Za-z0-9_./-]*$/.test(text) && !RESERVED_WORDS.test(text);
  // YAML takes no control characters as they are, and some of Unicode's line ends for its own.
  return plain ? text : JSON.stringify(text).replace(
    /[\p{Cc}\u2028\u2029\ufeff\ufffe\uffff]/gu,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Texts as a list in one line. */
export function yamlList(texts: readonly string[]): string {
  return `[${texts.map(yamlScalar).join(", ")}]`;
}
