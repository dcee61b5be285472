/** The JSON Schemas of commands. */

import { type JsonSchema, toJsonSchema } from "../contract/input.ts";
import type { Command, InputSchema, ZodNamespace } from "../contract/mod.ts";
import { commonSchema } from "./common.ts";
import type { z as Zod } from "zod";
import { ERROR_CODES, type ErrorCode } from "../base/error.ts";
import { MODES } from "../base/policy/mode.ts";

export { type JsonSchema, toJsonSchema };

/** The whole input schema of a command: its own members, then the shared ones. */
export async function inputJsonSchema(command: Command): Promise<JsonSchema> {
  const z = await import("../contract/zod.ts");
  const own = command.input(z);
  const mine = await toJsonSchema(own);
  const shared = await toJsonSchema(commonSchema(z, command, own));
  const required = [...(mine["required"] as string[] | undefined ?? [])];
  return {
    type: "object",
    properties: { ...mine["properties"] as object, ...shared["properties"] as object },
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

// The schema of what amof answers: the envelope with a suggested action in it. It is published for whoever reads
// answers; the tool list has none of it, where every word is paid for.

const SCOPES = ["global", "ecosystem", "run", "release", "server"] as const;

/** A next step that is offered with an answer. */
export function suggestedActionSchema(z: ZodNamespace): InputSchema {
  return z.strictObject({
    id: z.string().describe("Stable; tells actions of one answer apart"),
    label: z.string().max(30).describe("What a button says"),
    tool: z.string().describe("The tool to call"),
    args: z.record(z.string(), z.unknown()).describe("Its arguments, filled in"),
    from: z.string().optional().describe("Where a program has to stand that calls it"),
    scope: z.enum(SCOPES).describe("What it is about"),
    mode_required: z.enum(MODES).describe("The lowest mode in which it does something"),
    safety: z.enum(["read-only", "safe-write", "dangerous-write"]),
    confirm: z.boolean().describe("Whether a person has to agree first"),
    priority: z.int().min(1).max(5).describe("1 is the highest"),
    description: z.string().describe("One short sentence"),
    condition: z.string().optional().describe("Why it is offered"),
  });
}

/** Where an answer belongs, and in which session and mode it was given. */
function contextSchema(z: ZodNamespace): Zod.ZodObject {
  return z.strictObject({
    scope: z.enum(SCOPES),
    ecosystem: z.string().nullable(),
    ticket: z.string().optional().describe("The ticket in whose own workspace it is"),
    breadcrumb: z.string().describe("The path to the place the answer is about"),
    run_id: z.string().nullable(),
    release_tag: z.string().nullable(),
    mode: z.enum(MODES).describe("The mode of the call"),
    session_id: z.string().nullable(),
    timestamp: z.string().describe("ISO 8601, UTC"),
  });
}

/** What undoing could bring back of a mutation. */
function undoSchema(z: ZodNamespace): Zod.ZodObject {
  return z.strictObject({ brings_back: z.string().nullable(), cannot: z.string().nullable() });
}

function confirmationSchema(z: ZodNamespace): Zod.ZodObject {
  return z.looseObject({
    token: z.string().describe("Spent by amof_confirm, or with the same call"),
    type: z.enum(["simple", "preview", "type"]),
    tool: z.string(),
    expires_at: z.string().describe("ISO 8601, UTC"),
    preview: z.record(z.string(), z.unknown()).describe("What the confirmation is bound to"),
    summary: z.string(),
    effects: z.array(z.string()),
    irreversible: z.string().optional(),
    undo: undoSchema(z).optional(),
    typed_value_required: z.boolean(),
    typed_value_is: z.string().optional().describe("What has to be typed, such as ecosystem name"),
    approval: z.strictObject({ id: z.string(), command: z.string() }).optional().describe(
      "How a person settles it in a terminal, where only that counts",
    ),
    how: z.array(z.string()),
  });
}

/** What a call refused in mode ask would do. */
function explanationSchema(z: ZodNamespace): Zod.ZodObject {
  return z.looseObject({
    summary: z.string(),
    effects: z.array(z.string()),
    current_state: z.string(),
    alternatives: z.array(z.string()),
    irreversible: z.string().optional(),
    undo: undoSchema(z).optional(),
    blocked_by: z.string().optional().describe("The code of what stands in the way"),
  });
}

/** Every answer of amof, on the command line with `--json` and as `structuredContent`; tools add members. */
export function envelopeSchema(z: ZodNamespace): InputSchema {
  const codes = Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]];
  return z.looseObject({
    _context: contextSchema(z),
    summary: z.string().max(80).describe("One sentence"),
    error: z.enum(codes).optional().describe("Present exactly when the call failed"),
    message: z.string().optional().describe("What was tried and what was found"),
    http: z.int().optional(),
    category: z.string().optional(),
    hint: z.string().optional().describe("What to do next"),
    details: z.looseObject({
      reason_code: z.string().describe("The code, or a finer word; as in agentpack's errors"),
      next_actions: z.array(z.string()).describe("Words for what to do, as in agentpack's errors"),
    }).optional().describe("Facts about the failure"),
    confirmation: confirmationSchema(z).optional(),
    explanation: explanationSchema(z).optional(),
    argument_notes: z.array(z.string()).optional().describe(
      "Over MCP: which arguments were read out of a text, or left out",
    ),
    suggested_actions: z.array(suggestedActionSchema(z)).describe("Next steps, the best first"),
  });
}
