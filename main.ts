import { runCommandLine } from "./src/cli/main.ts";
import { onlyServer } from "./src/stocktrim/mod.ts";
import { confinedHttp } from "./src/system/real/confined_http.ts";
import { realSystem } from "./src/system/real/mod.ts";

const http = confinedHttp(onlyServer(Deno.env));
Deno.exit(await runCommandLine(realSystem(http), Deno.args));
