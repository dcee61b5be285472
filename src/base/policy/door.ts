/** The doors by which calls come in. */

/** The command line, MCP, and the HTTP API of the server. */
export const DOORS = ["cli", "mcp", "http"] as const;
/** One of {@linkcode DOORS}: on `cli` a person types, through the others a program calls. */
export type Door = typeof DOORS[number];

/** The door that a record names; the command line where it names none. */
export function doorOf(value: unknown): Door {
  return DOORS.find((door) => door === value) ?? "cli";
}
