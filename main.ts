import process from "node:process";
import { isAgentpack, versionAlone } from "./src/doors/cli/version_alone.ts";

const version = versionAlone(process.argv0, Deno.args);
if (version !== null) {
  try {
    Deno.stdout.writeSync(new TextEncoder().encode(version));
    Deno.exit(0);
  } catch {
    // Where nobody reads, the command line knows what to do.
  }
}
// A host waits for the first answer of each server that it starts.
const streams = Deno.args.includes("serve") && !isAgentpack(process.argv0)
  ? await (await import("./src/doors/mcp/first_answer.ts")).firstAnswer(Deno.args)
  : undefined;
// Everything else is loaded when it is needed.
const { runCommandLine, worldOf } = await import("./src/doors/cli/start.ts");
const { args, build: { standalone }, env } = Deno;
Deno.exit(await runCommandLine(worldOf({ args, standalone, env, streams }), args));
