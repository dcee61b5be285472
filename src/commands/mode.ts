/** `amof_set_mode`: changes the mode of the session (MODE-2, MODE-3). */

import { AmofError } from "../base/error.ts";
import { allows, CAPPED, MODES, MODES_IN_WORDS } from "../base/policy/mode.ts";
import { navigation } from "../contract/mod.ts";

/** `amof_set_mode`. On the command line, where a session is one call, it says how the mode of a call is chosen. */
export const setMode = navigation({
  name: "amof_set_mode",
  path: ["mode"],
  moves: true,
  inTicket: "no workspace",
  toolset: "session",
  scope: "session",
  needs: "nothing",
  decides: () => null,
  title: "Set mode",
  summary: `Set the session's mode: ${MODES_IN_WORDS}.`,
  description:
    "On the command line it keeps none: each call has its own, which --mode names, else execute. A server's session keeps what this sets; the server's own flags --mode and --max-mode say how it begins and how far it goes.",
  positionals: ["mode"],
  examples: ["mode execute"],
  input: (z) => ({ mode: z.enum(MODES).describe("The new mode") }),
  run(ctx, input) {
    const { session } = ctx;
    if (ctx.door === "cli" && input.mode !== session.mode) {
      throw new AmofError(
        "invalid_arguments",
        `Cannot keep mode ${input.mode}: on the command line each call has its own, else execute`,
        { hint: `Name it with the call, such as: amof push --mode ${input.mode}` },
      );
    }
    if (!allows(session.maxMode, input.mode)) {
      throw new AmofError(
        "mode_insufficient",
        `Cannot set mode ${input.mode}: this server allows at most ${session.maxMode}`,
        {
          hint:
            `Only whoever starts the server can raise the limit: amof mcp serve --max-mode ${input.mode}`,
          details: { ...CAPPED, mode_required: input.mode, max_mode: session.maxMode },
        },
      );
    }
    const previous = session.mode;
    session.mode = input.mode;
    return Promise.resolve({ data: { mode: input.mode, previous } });
  },
  render: (data: { readonly mode: string; readonly previous: string }) => ({
    summary: data.mode === data.previous
      ? `Kept mode ${data.mode}.`
      : `Changed mode from ${data.previous} to ${data.mode}.`,
  }),
});
