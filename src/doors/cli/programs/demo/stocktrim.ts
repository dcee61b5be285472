/**
 * The demo of the StockTrim tools: a stand-in of the service, and the real program that looks and deletes there.
 *
 * @module
 */

import { join } from "@std/path";
import { AmofError, EXIT } from "../../../../base/error.ts";
import { type FakeStockTrim, startStandIn } from "../../../../apps/stocktrim/mod.ts";
import type { ProcessResult, System } from "../../../../base/system/mod.ts";
import { hostConfig } from "../mcp/config.ts";
import type { Sandbox as Whole } from "./sandbox.ts";

/** Where the demo takes place: there is no repository in it. */
type Sandbox = Pick<Whole, "directory" | "environment">;

/** The variables by which the program finds the stand-in. */
function account({ url, id, signature }: FakeStockTrim): Record<string, string> {
  return {
    STOCKTRIM_BASE_URL: url,
    STOCKTRIM_API_AUTH_ID: id,
    STOCKTRIM_API_AUTH_SIGNATURE: signature,
  };
}

/**
 * Shows a command, and what the program answers to it in a process of its own: the process of the demo may not reach the
 * stand-in, where it has no more of the network than the address of the service.
 */
async function show(
  { terminal, processes }: System,
  { environment, directory }: Sandbox,
  args: readonly string[],
  expected: number,
): Promise<ProcessResult> {
  const [command = "amof", ...before] = processes.self();
  terminal.out(
    `\n$ amof ${args.map((arg) => /[\s"]/.test(arg) ? JSON.stringify(arg) : arg).join(" ")}\n`,
  );
  const result = await processes.run({
    command,
    args: [...before, ...args],
    cwd: directory,
    env: environment,
    timeoutMs: 120_000,
  });
  terminal.out(result.stdout);
  terminal.out(result.stderr);
  if (result.exitCode !== expected) {
    throw new AmofError(
      "subprocess_failed",
      `The demo expected exit code ${expected} and got ${result.exitCode}`,
      {
        details: { args, exit_code: result.exitCode },
      },
    );
  }
  return result;
}

/** Looks at a product, deletes it with its token, and looks again. */
async function walkDelete(
  system: System,
  sandbox: Sandbox,
  say: (text: string) => void,
): Promise<void> {
  const stocktrim = (...args: readonly string[]) => ["stocktrim", ...args];
  await show(system, sandbox, stocktrim("product", "search", "accessories 2"), EXIT.ok);
  say("What people call SKU-002 has another id: deleting goes by that");
  await show(system, sandbox, stocktrim("product", "get", "SKU-002"), EXIT.ok);
  const remove = stocktrim("product", "delete", "SKU-002");
  say("Nobody is at a terminal here, so the delete is refused and hands out a token");
  const refused = await show(system, sandbox, remove, EXIT.refused);
  const token = /amof confirm (\S+)/.exec(refused.stderr)?.[1];
  if (token === undefined) {
    throw new AmofError("subprocess_failed", "The demo found no token in the refusal");
  }
  say("The token is worth exactly what was previewed, once; the program looks whether it is gone");
  await show(system, sandbox, ["confirm", token], EXIT.ok);
  await show(system, sandbox, stocktrim("product", "get", "SKU-002"), EXIT.usage);
  say("Every mutation is in the audit, without the credentials");
  await show(system, sandbox, ["audit"], EXIT.ok);
}

/** Tells how to go on while the stand-in answers, at a terminal and with an AI host. */
async function sayHow(
  system: System,
  { environment }: Sandbox,
  say: (text: string) => void,
): Promise<void> {
  const { terminal, processes } = system;
  const self = processes.self();
  const words = self.map((word) => /\s/.test(word) ? `'${word}'` : word).join(" ");
  say("While this goes on, in another terminal:");
  terminal.out([
    `alias amof='${words}'`,
    ...Object.entries(environment).filter(([name]) => name !== "NO_COLOR")
      .map(([name, value]) => `export ${name}=${value}`),
    "amof stocktrim order-plan",
    "amof stocktrim supplier delete BEAN",
    "",
  ].join("\n"));
  say("Or let an AI host do it, for example Claude Code with this .mcp.json:");
  const { NO_COLOR: _, ...env } = environment;
  const flags = ["--toolsets", "stocktrim"];
  terminal.out(await hostConfig("claude-code", self, null, { name: "amof", env, flags }));
}

/** Says what goes on until Enter, the end of what is typed, or an interrupt. */
async function untilEnough({ terminal }: System, text: string): Promise<void> {
  let stop = () => {};
  const interrupted = new Promise<void>((resolve) => {
    stop = terminal.onInterrupt(() => resolve());
  });
  await Promise.race([terminal.ask(text), interrupted]);
  stop();
}

/** Walks through the StockTrim tools; answers the exit code. */
export async function showStockTrim(system: System, directory: string): Promise<number> {
  const say = (text: string) => system.terminal.out(`\n# ${text}\n`);
  await using service = await startStandIn();
  const environment = { AMOF_HOME: join(directory, "home"), NO_COLOR: "1", ...account(service) };
  const sandbox = { directory, environment };
  say(`A stand-in of StockTrim with a small shop answers at ${service.url}`);
  await walkDelete(system, sandbox, say);
  const { stdinIsTerminal, stdoutIsTerminal } = system.terminal;
  if (stdinIsTerminal && stdoutIsTerminal) {
    await sayHow(system, sandbox, say);
    await untilEnough(system, "\n# The stand-in answers until you press Enter\n");
  } else {
    say("The stand-in ends here; started at a terminal it answers until you press Enter");
  }
  say(`Done. Remove it all with: rm -r ${directory}`);
  return EXIT.ok;
}
