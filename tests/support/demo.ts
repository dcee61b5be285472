/**
 * `deno task demo [DIR]`: what `amof demo` shows, and with `--of stocktrim` the tools of StockTrim, against a stand-in of
 * that service which the program does not have.
 *
 * @module
 */

import { parseArgs } from "@std/cli/parse-args";
import { fromFileUrl } from "@std/path";
import { realHttp } from "../../src/base/system/real/http.ts";
import { realSystem } from "../../src/base/system/real/mod.ts";
import { completePath } from "../../src/base/system/real/at_start.ts";
import { runCommandLine } from "../../src/doors/cli/start.ts";
import { emptyPlace, makePlace } from "../../src/doors/cli/programs/demo/sandbox.ts";
import { showStockTrim } from "./stocktrim/demo.ts";

const MAIN = fromFileUrl(new URL("../../main.ts", import.meta.url));

completePath();
const real = realSystem(realHttp);
// What a demo starts, and what it tells readers to start, is the program and not this file.
const self = [Deno.execPath(), "run", "--quiet", "--allow-all", MAIN];
const system = { ...real, processes: { ...real.processes, self: () => self } };
const { of, _: [directory] } = parseArgs(Deno.args, { string: ["of", "_"] });
Deno.exit(
  of === "stocktrim"
    ? await showStockTrim(
      system,
      await makePlace(system, await emptyPlace(system, directory?.toString())),
    )
    : await runCommandLine(system, ["demo", ...Deno.args]),
);
