/** `amof confirm`: spends a confirmation request (CONFIRM-6). */

import { confirmCommand } from "../../contract/mod.ts";

/** `amof confirm TOKEN`. The pipeline repeats the call the token was made for. */
export const confirm = confirmCommand({
  name: "amof_confirm",
  path: ["confirm"],
  inTicket: "no workspace",
  toolset: "session",
  scope: "session",
  needs: "nothing",
  title: "Confirm",
  summary: "Spend a token: carry out exactly what was previewed.",
  // The call that is confirmed may talk to remotes.
  openWorld: true,
  positionals: ["token"],
  flags: { typed_value: "confirm-name" },
  examples: ["confirm 3f0c6f4e-8a39-4a57-9d0f-2f6f6f7f8a90"],
  input: (z) => ({
    token: z.string().min(1).max(200).describe("From the request"),
    typed_value: z.string().max(200).optional().describe(
      "Name a person typed",
    ),
  }),
  redeem: (input) => ({ token: input.token, typedValue: input.typed_value ?? null }),
});
