import { runCommandLine } from "./src/cli/main.ts";
import { onlyServer } from "./src/stocktrim/mod.ts";
import { confinedHttp } from "./src/system/real/confined_http.ts";
import { realHttp } from "./src/system/real/http.ts";
import { realSystem } from "./src/system/real/mod.ts";
import { completePath } from "./src/system/real/places.ts";

completePath();

// Who gives up one permission of all loses /dev, /proc and /sys with it, where repositories may lie. The binary has no
// access there anyway; the program from source was granted everything, and keeps it.
const http = Deno.build.standalone ? confinedHttp(onlyServer(Deno.env)) : realHttp;
Deno.exit(await runCommandLine(realSystem(http), Deno.args));
