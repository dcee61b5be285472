/** Keeps a caller from taking away the directory it stands in. */

import { isBelow } from "../../base/paths.ts";
import { AmofError } from "../../base/error.ts";
import type { CommandContext } from "../../contract/mod.ts";
import { shellWord } from "../../base/text/words.ts";

/**
 * Throws `workspace_in_use` when the working directory of this process lies in a directory that is about to go,
 * whichever links led there. `what` is the words of the command, `deed` what it does. No process.
 *
 * Whoever stands in a directory that is gone can start no program from there that asks where it is, this one
 * included. Over MCP the directory is that of the server, which is usually that of the program that started it.
 */
export async function refuseInside(
  ctx: CommandContext,
  what: string,
  directory: string,
  deed = `${what} "${ctx.ecosystem}"`,
): Promise<void> {
  const { env, files } = ctx.system;
  const [here, gone] = await Promise.all([files.realPath(env.cwd), files.realPath(directory)]);
  if (here === null || gone === null || !isBelow(gone, here)) return;
  const root = shellWord(ctx.root);
  throw new AmofError(
    "workspace_in_use",
    ctx.door === "cli"
      ? `Cannot ${deed}: you are in the workspace that would go`
      : `Cannot ${deed}: the working directory of this program lies in the workspace that would go`,
    {
      hint: ctx.door === "cli"
        ? `Leave it first: cd ${root} && amof -e ${ctx.ecosystem} ${what}`
        : `A person does it in a terminal: cd ${root} && amof -e ${ctx.ecosystem} ${what}\nStart the server elsewhere, in a terminal: amof mcp serve --root ${root}`,
      details: { ecosystem: ctx.ecosystem, directory: here, root: ctx.root },
    },
  );
}
