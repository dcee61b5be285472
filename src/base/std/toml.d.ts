// Types of the one function used from @std/toml; the npm build ships none.

/** Parses a TOML document; throws a `SyntaxError`. */
export function parse(content: string): Record<string, unknown>;
