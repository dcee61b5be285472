/** `amof deny`: a person refuses a pending request (CONFIRM-12). */

import { decide, findPending, terminalUser } from "../../../pipeline/consent/pending.ts";
import { program } from "../../../pipeline/line/program.ts";
import { stderrReporter } from "../session.ts";
import { requestInput, tellDecision } from "./approve.ts";

/** `amof deny`. Takes no terminal: a no is always safe. */
export const denyProgram = program({
  path: ["deny"],
  answers: true,
  summary: "Refuse a waiting request; nothing is changed.",
  positionals: ["id"],
  acts: true,
  examples: ["deny 3f0c6f4e"],
  input: requestInput,
  async main(ctx, { id }) {
    const pending = await findPending(ctx.app, id);
    await decide(ctx.app, pending, {
      decision: "declined",
      by: terminalUser(ctx.app),
      report: stderrReporter(ctx.app.system, ctx.flags),
    });
    return await tellDecision(
      ctx,
      pending,
      `Denied request ${pending.id}; nothing was changed.`,
      "declined",
    );
  },
});
