import process from "node:process";
import { versionAlone } from "./src/doors/cli/version_alone.ts";

const version = versionAlone(process.argv0, Deno.args);
if (version !== null) {
  try {
    Deno.stdout.writeSync(new TextEncoder().encode(version));
    Deno.exit(0);
  } catch {
    // Where nobody reads, the command line knows what to do.
  }
}
// Everything else is loaded when it is needed.
const { start } = await import("./src/doors/cli/start.ts");
Deno.exit(await start({ args: Deno.args, standalone: Deno.build.standalone, env: Deno.env }));
