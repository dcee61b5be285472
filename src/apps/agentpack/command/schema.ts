/** `schema`: what the answers look like, for machines (PACK-40). */

import { declare, type PackCommand } from "../declare/command.ts";
import { lines } from "../declare/show.ts";

/** `data` of `schema`. */
export interface SchemaData {
  readonly envelope: {
    readonly schema_version: 1;
    readonly fields: readonly string[];
    readonly error_item: readonly string[];
  };
  readonly commands: Readonly<Record<string, { readonly data_fields: readonly string[] }>>;
  readonly path_conventions: readonly string[];
}

/** The members of `data` of a command, or of each of its variants that has some. */
function answersOf(
  { path, answers }: PackCommand,
): [string, { readonly data_fields: readonly string[] }][] {
  const words = path.join(".");
  return Array.isArray(answers)
    ? [[words, { data_fields: answers }]]
    : Object.entries(answers).map(([word, data_fields]) => [`${words}.${word}`, { data_fields }]);
}

/** The answer's parts of every command. */
export function schemaData(commands: readonly PackCommand[]): SchemaData {
  return {
    envelope: {
      schema_version: 1,
      fields: [
        "schema_version",
        "ok",
        "command",
        "command_id",
        "command_path",
        "version",
        "data",
        "warnings",
        "errors",
      ],
      error_item: ["code", "message", "details"],
    },
    commands: Object.fromEntries(
      commands.flatMap(answersOf).sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0),
    ),
    path_conventions: [
      "Paths are absolute and in the notation of the platform",
      "A field x with a path has a twin x_posix with forward slashes",
      "Paths in preview's diff are relative to their root",
    ],
  };
}

/** `schema`, of all these commands. */
export const schema = (commands: () => readonly PackCommand[]): PackCommand =>
  declare({
    path: ["schema"],
    summary: "Describe the JSON envelope and the data of every command.",
    options: {},
    examples: ["schema --json"],
    answers: ["envelope", "commands", "path_conventions"],
    look: () => Promise.resolve({ data: schemaData(commands()), warnings: [] }),
    render: ({ data }) =>
      lines(
        `Envelope: ${data.envelope.fields.join(", ")}`,
        `Errors: ${data.envelope.error_item.join(", ")}`,
        "",
        Object.entries(data.commands).map(([name, command]) =>
          `${name}: ${command.data_fields.join(", ")}`
        ),
        "",
        data.path_conventions,
      ),
  });
