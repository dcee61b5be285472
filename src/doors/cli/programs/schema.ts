/** `amof schema`: the JSON Schemas of what users and hosts write and read. */

import {
  envelopeSchema,
  inputJsonSchema,
  type JsonSchema,
  suggestedActionSchema,
  toJsonSchema,
} from "../../../pipeline/json_schema.ts";
import { COMMANDS } from "../../../pipeline/registry.ts";
import { manifestJsonSchema } from "../../../workspace/manifest/mod.ts";
import { configSchema } from "../../../commands/release/config_schema.ts";
import { settingsJsonSchema } from "../../../state/settings/changing.ts";
import { AmofError, EXIT } from "../../../base/error.ts";
import { didYouMean, list, meantText } from "../../../base/text/words.ts";
import { program } from "../../../pipeline/line/program.ts";
import { DOOR_WINGS } from "../../wings.ts";

/** The schemas of what people write and programs read; all others are of the inputs of tools. */
export const DOCUMENTS: readonly string[] = [
  "ecosystem",
  "config",
  "settings",
  ...DOOR_WINGS.flatMap(({ schemas }) => Object.keys(schemas ?? {})),
  "envelope",
  "suggested_action",
];

/** Every published schema by file name. */
export async function allSchemas(): Promise<ReadonlyMap<string, JsonSchema>> {
  const z = await import("../../../contract/zod.ts");
  const schemas = new Map<string, JsonSchema>();
  const dialect = { $schema: "https://json-schema.org/draft/2020-12/schema" };
  schemas.set("ecosystem", await manifestJsonSchema());
  schemas.set("config", {
    ...dialect,
    title: "amof.yaml in the root of a repository",
    ...await toJsonSchema(configSchema(z)),
  });
  schemas.set("settings", settingsJsonSchema());
  for (const [name, load] of DOOR_WINGS.flatMap((wing) => Object.entries(wing.schemas ?? {}))) {
    schemas.set(name, await load());
  }
  schemas.set("envelope", {
    ...dialect,
    title: "An answer of amof",
    ...await toJsonSchema(envelopeSchema(z)),
    dependentRequired: { error: ["message", "http", "category", "hint", "details"] },
  });
  schemas.set("suggested_action", {
    ...dialect,
    title: "A next step that amof suggests",
    ...await toJsonSchema(suggestedActionSchema(z)),
  });
  for (const command of await Promise.all(COMMANDS.map(({ load }) => load()))) {
    schemas.set(command.name, {
      ...dialect,
      title: command.title,
      description: command.summary,
      ...await inputJsonSchema(command),
    });
  }
  return schemas;
}

/** `amof schema`. */
export const schemaProgram = program({
  path: ["schema"],
  lenient: true,
  summary:
    "Print a JSON Schema: of a file that people write, of an answer, or of the input of a tool.",
  positionals: ["name"],
  examples: ["schema ecosystem", "schema amof_push_ecosystem"],
  input: (z) => ({
    name: z.string().default("ecosystem").describe(
      `${DOCUMENTS.join(", ")}, or the name of a tool`,
    ),
  }),
  async main({ app }, input) {
    const schemas = await allSchemas();
    const schema = schemas.get(input.name);
    if (schema === undefined) {
      const near = didYouMean(input.name, [...schemas.keys()]);
      throw new AmofError(
        "invalid_arguments",
        `Cannot find a schema "${input.name}"${meantText(near)}`,
        {
          hint: near === null
            ? `Known: ${list([...schemas.keys()])}`
            : `Print it: amof schema ${near}`,
        },
      );
    }
    app.system.terminal.out(`${JSON.stringify(schema, null, 2)}\n`);
    return EXIT.ok;
  },
});
