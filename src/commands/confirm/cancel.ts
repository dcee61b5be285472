/** `amof confirm --cancel`: gives a confirmation request up (CONFIRM-6). */

import { navigation } from "../../contract/mod.ts";
import { hashToken } from "../../state/store/mod.ts";

/** `amof confirm --cancel TOKEN`. */
export const cancelConfirm = navigation({
  name: "amof_cancel_confirm",
  path: ["confirm", "--cancel"],
  remembers: true,
  inTicket: "no workspace",
  toolset: "session",
  scope: "session",
  needs: "nothing",
  decides: ({ cancelled }: { cancelled: boolean }) => cancelled ? "cancelled" : null,
  title: "Cancel confirmation",
  summary: "Give up a confirmation request; its token is void.",
  positionals: ["token"],
  examples: ["confirm --cancel 3f0c6f4e-8a39-4a57-9d0f-2f6f6f7f8a90"],
  input: (z) => ({ token: z.string().min(1).max(200).describe("From the request") }),
  run(ctx, input) {
    const now = ctx.system.clock.now();
    const hash = hashToken(input.token);
    const request = ctx.confirmations.find(hash, ctx.owner);
    const live = request !== null && request.outcome === null && request.expiresAt > now;
    const cancelled = live && ctx.confirmations.settle(hash, "cancelled", now);
    return Promise.resolve({ data: { cancelled } });
  },
  render: (data: { cancelled: boolean }) => ({
    summary: data.cancelled
      ? "Cancelled the request; nothing was changed."
      : "Found no live request with that token.",
  }),
});
