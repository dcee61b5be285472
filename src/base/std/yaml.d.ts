// Types of the functions used from @std/yaml; the npm build ships none.

/** Parses one YAML document; throws a `SyntaxError` with line and column. */
export function parse(content: string, options?: { readonly schema?: string }): unknown;
/** Writes a value as one YAML document. */
export function stringify(
  value: unknown,
  options?: {
    readonly lineWidth?: number;
    readonly indent?: number;
    readonly skipInvalid?: boolean;
  },
): string;
