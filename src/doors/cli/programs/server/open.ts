/**
 * `amof server open`: a link with which a person signs in to the pages of the server (SIGN-1).
 *
 * As for approving, it takes a person at a terminal: no flag, no pipe and no JSON stands in for one.
 */

import { toFileUrl } from "@std/path";
import { note } from "../../../../pipeline/audit.ts";
import { program, type ProgramContext } from "../../../../pipeline/line/program.ts";
import { AmofError } from "../../../../base/error.ts";
import {
  makeLink,
  requireOpenable,
  writeLeading,
} from "../../../../commands/server/sign_in_link.ts";
import { isDesktop, openerOf } from "../../../../base/system/find_program.ts";
import { verbatim } from "../../../../base/text/parts.ts";
import { cleanLine } from "../../../../base/text/sanitize.ts";
import { count } from "../../../../base/text/words.ts";
import { findRoot } from "../../../../commands/ecosystem/root.ts";
import { answerWith } from "../../answer.ts";
import { askPerson, isInteractive } from "../../prompt.ts";
import { stderrReporter } from "../../session.ts";

/** The word that removes all passkeys. */
const FORGET = "forget";

/** Removes all passkeys once a person typed that they want it; throws where they did not. */
async function forgetPasskeys({ app, flags }: ProgramContext): Promise<void> {
  const { system } = app;
  const { passkeys } = await app.store();
  const names = passkeys.list().map(({ name }) => cleanLine(name, 60));
  if (names.length === 0) return;
  const abort = new AbortController();
  const stopListening = system.terminal.onInterrupt(() => abort.abort());
  const { decision } = await askPerson(system.terminal, {
    heading: "Forget passkeys?",
    deed: "forgetting passkeys",
    kind: "type",
    summary: `Would forget ${count(names.length, "passkey")}: ${names.join(", ")}.`,
    details: [],
    irreversible: "Approving in the pages takes none then, until you add one.",
    typed: { what: `word ${FORGET}`, value: FORGET },
    signal: abort.signal,
  }).finally(stopListening);
  const isAgreed = decision === "accepted";
  if (isAgreed) passkeys.clear();
  await note(app, stderrReporter(system, flags), {
    at: system.clock.now(),
    door: "cli",
    client: `${system.env.user}@cli`,
    sessionId: "",
    root: "",
    ecosystem: "",
    tool: "passkey_forget",
    args: { names },
    mode: "execute",
    decision,
    way: "prompt",
    fingerprint: null,
    outcome: isAgreed ? "ok" : "not_approved",
    runId: null,
  });
  if (isAgreed) return;
  throw new AmofError("confirmation_declined", "No passkey was forgotten", {
    hint: "Repeat the command to be asked again",
  });
}

/** `amof server open`. */
export const serverOpenProgram = program({
  path: ["server", "open"],
  summary: "Sign in to the server's pages, in the browser.",
  description:
    "Prints a link that works once and for two minutes; on a desktop it is opened, too. Needs a terminal with a person at it: --yes, --json, --no-input, a pipe or CI get no link.",
  examples: ["server open", "server open --print", "server open --forget-passkeys"],
  input: (z) => ({
    print: z.boolean().default(false).describe("Only print the link"),
    forget_passkeys: z.boolean().default(false).describe(
      "Remove all passkeys first, for whoever has lost them",
    ),
  }),
  async main(ctx, { print, forget_passkeys: forgets }) {
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
    if (forgets) await forgetPasskeys(ctx);
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
