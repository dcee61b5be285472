/**
 * The tasks of the suite, in the form of mcpchecker: what is set up, what an agent is told, and how it is verified.
 *
 * @module
 */

import { fromFileUrl, join } from "@std/path";
import { parse } from "@std/yaml";
import { z } from "zod";

/** The directory of the suite. */
export const EVALS = fromFileUrl(new URL("./", import.meta.url));

const step = z.strictObject({ inline: z.string().min(1) });

const taskSchema = z.strictObject({
  kind: z.literal("Task"),
  apiVersion: z.literal("mcpchecker/v1alpha1"),
  metadata: z.strictObject({
    name: z.string().regex(/^[a-z-]+$/),
    difficulty: z.enum(["easy", "medium", "hard"]),
  }),
  steps: z.strictObject({ setup: step, prompt: step, verify: step }),
});

const tools = z.array(z.strictObject({ server: z.literal("amof"), tool: z.string() })).default([]);

const evalSchema = z.strictObject({
  kind: z.literal("Eval"),
  metadata: z.strictObject({ name: z.string() }),
  config: z.strictObject({
    agentFile: z.string(),
    mcpConfigFile: z.string(),
    taskSets: z.array(z.strictObject({
      path: z.string(),
      assertions: z.strictObject({
        toolsUsed: tools,
        toolsNotUsed: tools,
        maxToolCalls: z.int().min(1),
      }),
    })),
  }),
});

const serverSchema = z.strictObject({
  type: z.literal("stdio"),
  command: z.literal("amof"),
  args: z.array(z.string()),
  env: z.record(z.string(), z.string()),
  enableAllTools: z.literal(true),
});

const scriptSchema = z.array(z.strictObject({
  tool: z.string(),
  arguments: z.record(z.string(), z.unknown()).default({}),
  /** Whether the person that the prompt speaks for agrees to what the call asks for. */
  consent: z.boolean().default(false),
}));

/** A call of the agent that does without a model. */
export type ScriptedCall = z.output<typeof scriptSchema>[number];

/** One task. */
export interface Task {
  readonly name: string;
  readonly difficulty: string;
  readonly setup: string;
  readonly prompt: string;
  readonly verify: string;
  readonly used: readonly string[];
  readonly notUsed: readonly string[];
  readonly most: number;
  /** What a good agent does. */
  readonly script: readonly ScriptedCall[];
}

async function yaml(path: string): Promise<unknown> {
  return parse(await Deno.readTextFile(join(EVALS, path)));
}

/** The tasks, in the order of `eval.yaml`. */
export async function loadTasks(): Promise<Task[]> {
  const { config } = evalSchema.parse(await yaml("eval.yaml"));
  return await Promise.all(config.taskSets.map(async ({ path, assertions }) => {
    const { metadata, steps } = taskSchema.parse(await yaml(path));
    return {
      ...metadata,
      setup: steps.setup.inline,
      prompt: steps.prompt.inline.trim(),
      verify: steps.verify.inline,
      used: assertions.toolsUsed.map(({ tool }) => tool),
      notUsed: assertions.toolsNotUsed.map(({ tool }) => tool),
      most: assertions.maxToolCalls,
      script: scriptSchema.parse(await yaml(path.replace(/task\.yaml$/, "script.yaml"))),
    };
  }));
}

/** How the server under test is started. */
export interface ServerEntry {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The server of `mcp-config.yaml`, with the directory of a task filled in. */
export async function serverEntry(directory: string): Promise<ServerEntry> {
  const config = z.strictObject({ mcpServers: z.strictObject({ amof: serverSchema }) })
    .parse(await yaml("mcp-config.yaml"));
  const { command, args, env } = config.mcpServers.amof;
  const filled = Object.entries(env).map(([name, value]) =>
    [name, value.replace("${AMOF_EVAL_DIR}", directory)] as const
  );
  return { command, args, env: Object.fromEntries(filled) };
}
