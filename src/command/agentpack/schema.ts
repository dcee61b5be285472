/**
 * `schema` (PACK-40).
 *
 * @module
 */

import { schemaData } from "../../agentpack/mod.ts";
import { declare } from "./command.ts";
import { lines } from "./show.ts";

/** `schema`. */
export const schema = declare({
  path: ["schema"],
  summary: "Describe the JSON envelope and the data of every command.",
  options: {},
  examples: ["schema --json"],
  run: () => Promise.resolve({ data: schemaData(), warnings: [] }),
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
