/**
 * The JSON Schemas of the protocol's revisions, where they lie beside the project, in `../shared/data/mcp-schema/`.
 *
 * @module
 */

import { Ajv, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { exists } from "../support/answers.ts";

const FOLDER = new URL("../../../shared/data/mcp-schema/", import.meta.url);

/** Whether they are not there, so that what needs them is left out. */
export const WITHOUT_SCHEMAS = !await exists(FOLDER);

/** What the revisions call an answer and an error; the later two have another dialect, too. */
const NAMES = {
  older: { answer: "JSONRPCResponse", error: "JSONRPCError", below: "definitions" },
  later: { answer: "JSONRPCResultResponse", error: "JSONRPCErrorResponse", below: "$defs" },
} as const;

/** Checks values against the definitions of one revision. */
export class Revision {
  readonly #ajv: Ajv | Ajv2020;
  readonly #names: typeof NAMES[keyof typeof NAMES];
  readonly #checks = new Map<string, ValidateFunction>();

  private constructor(ajv: Ajv | Ajv2020, names: typeof NAMES[keyof typeof NAMES]) {
    this.#ajv = ajv;
    this.#names = names;
  }

  static async load(version: string): Promise<Revision> {
    const schema = JSON.parse(await Deno.readTextFile(new URL(`schema-${version}.json`, FOLDER)));
    const options = { strict: false, allErrors: true };
    const isLater = "$defs" in schema;
    const ajv = isLater ? new Ajv2020(options) : new Ajv(options);
    formats.default(ajv);
    ajv.addSchema(schema, "mcp");
    return new Revision(ajv, NAMES[isLater ? "later" : "older"]);
  }

  /** Throws unless the value is what the definition says. */
  check(definition: string, value: unknown): void {
    const validate = this.#checks.get(definition) ??
      this.#ajv.compile({ $ref: `mcp#/${this.#names.below}/${definition}` });
    this.#checks.set(definition, validate);
    if (validate(value)) return;
    throw new Error(
      `${JSON.stringify(value).slice(0, 300)} is no ${definition}: ${
        this.#ajv.errorsText(validate.errors)
      }`,
    );
  }

  /** Checks a line of the server as a message. */
  line(line: string): void {
    const message = JSON.parse(line);
    // JSON-RPC answers what has no readable id with null, which the schema leaves out.
    const readable = !Array.isArray(message) && message.id === null && "error" in message
      ? { ...message, id: 0 }
      : message;
    this.check("JSONRPCMessage", readable);
    if (Array.isArray(message) || "method" in message) return;
    this.check("error" in message ? this.#names.error : this.#names.answer, readable);
  }
}
