/** Reads the arguments of a call. */

import type { Fields } from "../base/object.ts";
import type { Command } from "../contract/mod.ts";
import type { App } from "./app.ts";
import type { Call, Progress } from "./call.ts";
import { parseArguments } from "./common.ts";
import { resolveTarget } from "./context.ts";

/**
 * The arguments of a call, as `parseArguments()` answers them; wrong ones are refused at the place that they name, like
 * all that is wrong later.
 */
export async function argumentsOf(
  app: App,
  call: Call,
  command: Command,
  { args, progress }: { readonly args: Fields; readonly progress: Progress },
): ReturnType<typeof parseArguments> {
  try {
    return await parseArguments(command, args, call.door);
  } catch (error) {
    const { ecosystem } = args;
    if (typeof ecosystem === "string") {
      progress.target = await resolveTarget(app, call, command, { ecosystem, ticket: null })
        .catch(() => progress.target);
    }
    throw error;
  }
}
