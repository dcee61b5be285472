/**
 * `amof back`: the way back to where the session stood before (SESSION-2).
 *
 * @module
 */

import { navigation } from "../contract/mod.ts";
import { type ScopeData, scopeData } from "./scope.ts";

/** `amof_scope_back`. */
export const scopeBack = navigation({
  name: "amof_scope_back",
  path: ["back"],
  confined: true,
  toolset: "session",
  scope: "session",
  rootless: true,
  only: "mcp",
  title: "Scope back",
  summary: "Go back to the previous scope, or all the way to global.",
  examples: [],
  input: (z) =>
    z.strictObject({
      to_global: z.boolean().default(false).describe("All the way"),
    }),
  run(ctx, input) {
    const { session } = ctx;
    const moved = session.canGoBack || !session.isHome;
    if (input.to_global || !session.back()) session.toGlobal();
    return Promise.resolve({
      data: {
        ...scopeData(ctx),
        moved,
        ...(moved ? {} : {
          note: session.bound !== null
            ? "The session does not leave the ticket that its server is bound to"
            : session.place.ecosystem === null
            ? "The session was at the global scope already"
            : "The session does not leave the ecosystem that its server was started with",
        }),
      },
    });
  },
  render: (data: ScopeData & { moved: boolean }) => ({
    summary: data.moved ? `Went back to ${data.breadcrumb}.` : `Stayed at ${data.breadcrumb}.`,
  }),
});
