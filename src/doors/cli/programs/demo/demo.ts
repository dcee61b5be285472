/**
 * `amof demo [DIR]`: builds a sandbox and shows the main job in it, by the real program.
 *
 * Everything it makes is below one directory, state included; nothing else is touched.
 */

import { EXIT } from "../../../../base/error.ts";
import type { System } from "../../../../base/system/mod.ts";
import { program } from "../../../../pipeline/line/program.ts";
import { usage } from "../../../../pipeline/line/flags.ts";
import { answerWith } from "../../answer.ts";
import {
  byHand,
  CONTROL,
  ECOSYSTEM,
  emptyPlace,
  makePlace,
  type Sandbox,
  writeEnter,
} from "./sandbox.ts";
import { DemoStage, Left } from "./stage.ts";
import { join } from "@std/path";

/** Says where the sandbox is, how to go on in it by hand, and how to get rid of it. */
async function sayGoodbye(
  { files }: System,
  stage: DemoStage,
  sandbox: Sandbox,
  title: string,
): Promise<void> {
  const { enter, remove } = byHand(sandbox, stage.width);
  // Who leaves at once has nothing yet whose status could be told.
  const first = await files.stat(sandbox.workspace) === null ? "amof help" : "amof status";
  stage.end(["", `${title} Go on in the sandbox by hand:`], [enter, first]);
  stage.end(["Or remove it:"], [remove]);
}

/** The sandbox in a directory, of which nothing needs to be there. */
function sandboxIn(directory: string): Sandbox {
  const control = join(directory, CONTROL);
  return {
    directory,
    control,
    workspace: join(control, "worktrees", ECOSYSTEM),
    environment: { AMOF_HOME: join(directory, "home"), AMOF_ROOT: control },
  };
}

/** `amof demo`. */
export const demoProgram = program({
  path: ["demo"],
  summary: "See the main job in a sandbox: clones, a ticket, commit, push, merge, undo, an agent.",
  description:
    "Makes three repositories with their remotes and clones, and a control repository, in DIR (a new temporary directory when absent), and shows real commands there. At a terminal Enter goes on, and q or Ctrl-C leaves; in a pipe it runs through. The sandbox stays, and the last lines tell how to go on in it by hand. A demo of the StockTrim tools comes with the source, in whose directory it is `deno task demo --of stocktrim`.",
  positionals: ["directory"],
  examples: ["demo", "demo ~/amof-demo", "demo --of spin"],
  input: (z) => ({
    directory: z.string().optional().describe("A new or empty directory"),
    of: z.enum(["work", "spin"]).default("work")
      .describe("What is shown: work on repositories, or environments"),
  }),
  async main(ctx, input) {
    const { app: { system }, flags, run } = ctx;
    const place = await emptyPlace(system, input.directory);
    if (flags.mode === "plan" || flags.mode === "ask") {
      return await answerWith(ctx, {
        summary: `Would build a sandbox in ${place} and show real commands in it.`,
        details: ["Everything it makes is there; nothing else is touched."],
        data: { directory: place, of: input.of },
      });
    }
    if (flags.json) {
      throw usage("Cannot use --json: amof demo is for people", "See: amof demo --help");
    }
    const directory = await makePlace(system, place);
    const sandbox = sandboxIn(directory);
    if (run === undefined) throw new TypeError("A demo is a command line of its own");
    using stage = new DemoStage(system, run);
    await writeEnter(system, sandbox);
    try {
      if (input.of === "spin") {
        await (await import("./spin.ts")).showSpin(system, stage, sandbox);
      } else await (await import("./work.ts")).showWork(system, stage, sandbox);
      await sayGoodbye(system, stage, sandbox, "Done.");
      return EXIT.ok;
    } catch (thrown) {
      const left = thrown instanceof Left ? thrown : stage.left;
      if (left === null) throw thrown;
      await sayGoodbye(system, stage, sandbox, "You left.");
      return left.how === "interrupted" ? EXIT.interrupted : EXIT.ok;
    }
  },
});
