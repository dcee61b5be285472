import { runCommandLine } from "./src/cli/main.ts";
import { realSystem } from "./src/system/real/mod.ts";

Deno.exit(await runCommandLine(realSystem(), Deno.args));
