/**
 * The demo of the StockTrim tools: a stand-in of the service, and the real program that looks and deletes there.
 *
 * @module
 */

import { join } from "@std/path";
import { AmofError, EXIT } from "../../../src/base/error.ts";
import type { ProcessResult, System } from "../../../src/base/system/mod.ts";
import { shellWord } from "../../../src/base/text/words.ts";
import {
  type Sandbox as Whole,
  shellPath,
  toPaste,
} from "../../../src/doors/cli/programs/demo/sandbox.ts";
import { wrapText } from "../../../src/doors/cli/wrap.ts";
import { type FakeStockTrim, startFake } from "./server.ts";

/** Where the demo takes place: there is no repository in it. */
type Sandbox = Pick<Whole, "directory" | "environment">;

/** Nothing is wider than a usual terminal. */
const WIDTH = 80;

/** The variables by which the program finds the stand-in. */
function account({ url, id, signature }: FakeStockTrim): Record<string, string> {
  return {
    STOCKTRIM_BASE_URL: url,
    STOCKTRIM_API_AUTH_ID: id,
    STOCKTRIM_API_AUTH_SIGNATURE: signature,
  };
}

/** Shows a command, and what the program answers to it in a process of its own. */
async function show(
  { terminal, processes }: System,
  { environment, directory }: Sandbox,
  args: readonly string[],
  expected: number,
): Promise<ProcessResult> {
  const [command = "amof", ...before] = processes.self();
  terminal.out(
    `\n$ amof ${args.map((arg) => shellWord(arg)).join(" ")}\n`,
  );
  const result = await processes.run({
    command,
    args: [...before, ...args],
    cwd: directory,
    env: environment,
    timeoutMs: 120_000,
  });
  terminal.out(wrapText(result.stdout, WIDTH));
  terminal.out(wrapText(result.stderr, WIDTH));
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
  const columns = '.entries[] | [.tool, .decision, .outcome] | join("  ")';
  await show(system, sandbox, ["audit", "--jq", columns], EXIT.ok);
}

/** Tells how to go on while the stand-in answers, at a terminal and with an AI host. */
function sayHow(
  { terminal, processes }: System,
  { environment }: Sandbox,
  say: (text: string) => void,
): void {
  const variables = Object.entries(environment).filter(([name]) => name !== "NO_COLOR");
  say("While this goes on, in another terminal:");
  terminal.out([
    toPaste(`amof() { ${processes.self().map(shellPath).join(" ")} "$@"; }`, WIDTH),
    ...variables.map(([name, value]) => toPaste(`export ${name}=${shellPath(value)}`, WIDTH)),
    "amof stocktrim order-plan",
    "amof stocktrim supplier delete BEAN",
    "",
  ].join("\n"));
  say("There, what lets an AI host do it, as the change of its file, which stays as it is:");
  terminal.out("amof mcp install claude-code --server stocktrim --dry-run\n");
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
  const say = (text: string) =>
    system.terminal.out(`\n${wrapText(text, WIDTH - 2).replaceAll(/^/gm, "# ")}\n`);
  await using service = await startFake();
  const environment = { AMOF_HOME: join(directory, "home"), NO_COLOR: "1", ...account(service) };
  const sandbox = { directory, environment };
  say(`A stand-in of StockTrim with a small shop answers at ${service.url}`);
  await walkDelete(system, sandbox, say);
  const { stdinIsTerminal, stdoutIsTerminal } = system.terminal;
  if (stdinIsTerminal && stdoutIsTerminal) {
    sayHow(system, sandbox, say);
    await untilEnough(system, "\n# The stand-in answers until you press Enter\n");
  } else {
    say("The stand-in ends here; started at a terminal it answers until you press Enter");
  }
  say("Done. Remove it all with:");
  system.terminal.out(`${toPaste(`rm -r ${shellPath(directory)}`, WIDTH)}\n`);
  return EXIT.ok;
}
