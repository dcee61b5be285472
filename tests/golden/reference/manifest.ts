/**
 * The page about what people write into manifests and into `amof.yaml`.
 *
 * @module
 */

import { z } from "zod";
import { toJsonSchema } from "../../../src/contract/input.ts";
import { configSchema } from "../../../src/commands/release/config_schema.ts";
import { manifestSchema } from "../../../src/workspace/manifest/schema.ts";
import { CONFIG_EXAMPLES, MANIFEST_EXAMPLES } from "./manifest_examples.ts";
import { code, head, page, table } from "./markdown.ts";
import { absentOf, type Member, meaningOf, membersOf, typeOf } from "./schema_types.ts";

/** The keys of a manifest. */
export async function manifestMembers(): Promise<Member[]> {
  return membersOf(await toJsonSchema(manifestSchema(z)));
}

/** The keys of `amof.yaml`. */
export async function configMembers(): Promise<Member[]> {
  return membersOf(await toJsonSchema(configSchema(z)));
}

function rows(
  members: readonly Member[],
  examples: Readonly<Record<string, string>>,
): string[][] {
  return members.map(({ path, schema, required }) => [
    code(path),
    required ? `${typeOf(schema)}, required` : typeOf(schema),
    absentOf(schema),
    meaningOf(schema),
    code(examples[path] ?? ""),
  ]);
}

const HEADS = ["key", "type", "otherwise", "meaning", "example, at its place"];

/** `manifest.md`. */
export async function manifestPage(): Promise<string> {
  return page([
    ...head(
      "Keys of the manifest and of amof.yaml",
      "What can be written into `ecosystems/NAME/ecosystem.yaml`, and into `amof.yaml` in the root of a repository. `repos[].url` is the member `url` of an entry of `repos`, `tasks.NAME.run` the member `run` of a task of any name. An unknown key is a warning with the nearest known one. The rules are in [workspaces and tickets](../workspaces-and-tickets.md) and [releases](../releases.md); `amof schema ecosystem` and `amof schema config` print the JSON Schemas for your editor.",
    ),
    "",
    "## The manifest: ecosystem.yaml",
    ...table(HEADS, rows(await manifestMembers(), MANIFEST_EXAMPLES)),
    "",
    "## Releases of a repository: amof.yaml",
    ...table(HEADS, rows(await configMembers(), CONFIG_EXAMPLES)),
  ]);
}
