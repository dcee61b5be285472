/**
 * Who works on a task: an agent without a model, which follows a script, or a command that starts one with a model.
 *
 * @module
 */

import { join } from "@std/path";
import { McpClient } from "../support/mcp_client.ts";
import { quoted } from "../support/pseudo_terminal.ts";
import type { World } from "../support/world.ts";
import { serverEntry, type Task } from "./task.ts";

/** Works on a task in a world whose set-up is done; answers the names of the tools it called, in order. */
export type Agent = (world: World, directory: string, task: Task) => Promise<string[]>;

/** Does what the task's script says, with the consent of the person where that is given, and waits for runs. */
export async function scripted(
  world: World,
  directory: string,
  { script }: Task,
): Promise<string[]> {
  const { args, env } = await serverEntry(directory);
  const called: string[] = [];
  await using client = new McpClient(world, [], env, { words: args });
  await client.initialize();
  const call = async (tool: string, given: Record<string, unknown>) => {
    called.push(tool);
    return await client.call(tool, given);
  };
  for (const { tool, arguments: given, consent } of script) {
    let answer = await call(tool, { ecosystem: "shop", ...given });
    const token = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/
      .exec(JSON.stringify(answer.data["confirmation"] ?? answer.data["details"] ?? ""))?.[0];
    if (consent && answer.isError && token !== undefined) {
      answer = await call("amof_confirm", { token });
    }
    if (answer.isError) throw new Error(`${tool}: ${answer.text}`);
    const run = answer.data["run_id"];
    if (typeof run === "string" && answer.data["status"] === "queued") await client.finished(run);
  }
  return called;
}

/** The tools that a server was asked for, out of the lines it was sent. */
function toolsIn(lines: string): string[] {
  return lines.split("\n").flatMap((line) => {
    const name = /"method"\s*:\s*"tools\/call"/.test(line)
      ? /"name"\s*:\s*"(\w+)"/.exec(line)?.[1]
      : undefined;
    return name === undefined ? [] : [name];
  });
}

/**
 * A command for `sh` that starts an agent: it finds what it is told in `PROMPT`, and in `MCP_CONFIG` a file with the
 * server, as Claude Code and others take it.
 */
export function external(line: string): Agent {
  return async (world, directory, task) => {
    const { command, args, env } = await serverEntry(directory);
    const log = join(directory, "calls.jsonl");
    await Deno.writeTextFile(log, "");
    // What the agent sends goes by here, so that its calls can be counted.
    const server = `tee -a ${quoted(log)} | ${[command, ...args].map(quoted).join(" ")}`;
    const config = join(directory, "mcp.json");
    const entry = { command: "sh", args: ["-c", server], env: { ...env, PATH: world.env["PATH"] } };
    await Deno.writeTextFile(config, JSON.stringify({ mcpServers: { amof: entry } }));
    const { code } = await new Deno.Command("sh", {
      args: ["-c", line],
      cwd: directory,
      env: { PROMPT: task.prompt, MCP_CONFIG: config },
    }).spawn().status;
    if (code !== 0) throw new Error(`The agent ended with ${code}`);
    return toolsIn(await Deno.readTextFile(log));
  };
}
