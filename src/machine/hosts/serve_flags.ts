/** The flags of `amof mcp serve`. Written by `deno task golden` out of its declaration. */

// deno-fmt-ignore-file -- this is data
/** The names of all flags with which a server can be started. */
export const SERVE_FLAGS: readonly string[] = ["toolsets", "tools", "exclude-tools", "read-only", "max-mode", "confirm", "elicitation", "ticket", "project-root", "root", "ecosystem", "mode", "dry-run", "yes", "confirm-name", "json", "jq", "no-input", "jobs", "quiet", "verbose", "no-pager", "color", "help", "version"];
