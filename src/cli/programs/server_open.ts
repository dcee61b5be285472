/**
 * `amof server open`: a link with which a person signs in to the pages of the server (SIGN-1).
 *
 * As for approving, it takes a person at a terminal: no flag, no pipe and no JSON stands in for one.
 *
 * @module
 */

import { toFileUrl } from "@std/path";
import { program } from "../../command/line/program.ts";
import { AmofError } from "../../error.ts";
import { makeLink, requireOpenable, writeLeading } from "../../server/mod.ts";
import { isDesktop } from "../../system/desktop.ts";
import { verbatim } from "../../text/parts.ts";
import { findRoot } from "../../workspace/mod.ts";
import { answerWith } from "../answer.ts";
import { openerOf } from "../opener.ts";
import { isInteractive } from "../prompt.ts";

/** `amof server open`. */
export const serverOpenProgram = program({
  path: ["server", "open"],
  summary: "Sign in to the server's pages, in the browser.",
  description:
    "Prints a link that works once and for two minutes; on a desktop it is opened, too. Needs a terminal with a person at it: --yes, --json, --no-input, a pipe or CI get no link.",
  examples: ["server open", "server open --print"],
  input: (z) =>
    z.strictObject({
      print: z.boolean().default(false).describe("Only print the link"),
    }),
  async main(ctx, { print }) {
    const { app, flags } = ctx;
    const { system, layout } = app;
    if (
      flags.yes || flags.confirmName !== null || !isInteractive(system.terminal, system.env, flags)
    ) {
      throw new AmofError(
        "confirmation_required",
        "Cannot sign in: only a person at a terminal can",
        { hint: "Run in a terminal, without other flags: amof server open" },
      );
    }
    const root = await findRoot(system, app.root, app.settings.root);
    const server = await requireOpenable(system, root);
    const link = makeLink(system, await app.store(), server);
    const opened = !print && isDesktop(system.env) &&
      await system.processes.attach(
          openerOf(
            system.env.platform,
            String(toFileUrl(await writeLeading(system, layout, root, link))),
          ),
        ) === 0;
    return await answerWith(ctx, {
      summary: opened ? "Opened the server's pages." : "Made a link to the server's pages.",
      details: [verbatim(link), "", "It signs you in once, within two minutes; give it to nobody."],
    });
  },
});
