/** `amof back`: the way back to where the session stood before (SESSION-2). */

import { navigation, type NavigationContext } from "../contract/mod.ts";
import { choiceSetting, formerChoiceSetting } from "./ecosystem/discover.ts";
import { ecosystemNames } from "../workspace/manifest/mod.ts";
import { type ScopeData, scopeData } from "./scope.ts";

/**
 * Goes back on the command line, where the choice of `ecosystem switch` is what is remembered. It goes to the
 * choice before, and a second `back` returns. Where there was none, it stays with what is chosen. Answers
 * whether there was one.
 */
async function chooseFormer(
  { system, root, remembered, session }: NavigationContext,
  forget: boolean,
) {
  const [choice, former] = [choiceSetting(root), formerChoiceSetting(root)];
  const [now, before] = [remembered.get(choice) ?? "", remembered.get(former) ?? ""];
  const names = await ecosystemNames(system, root);
  const to = forget ? "" : before;
  if (to === now || (!forget && !names.includes(to))) {
    if (names.includes(now)) session.enter({ scope: "ecosystem", ecosystem: now });
    return false;
  }
  remembered.set(choice, to);
  remembered.set(former, now);
  if (to !== "") session.enter({ scope: "ecosystem", ecosystem: to });
  return true;
}

/** `amof_scope_back`; on the command line it goes back to the ecosystem that was chosen before. */
export const scopeBack = navigation({
  name: "amof_scope_back",
  path: ["back"],
  remembers: true,
  moves: true,
  inTicket: "no workspace",
  toolset: "session",
  scope: "session",
  needs: "nothing",
  title: "Scope back",
  summary: "Go back to the previous scope, or to global.",
  examples: ["back", "back --to-global"],
  input: (z) => ({
    to_global: z.boolean().default(false).describe("All the way"),
  }),
  async run(ctx, input) {
    const { session } = ctx;
    if (ctx.door === "cli") {
      const moved = ctx.root !== "" && await chooseFormer(ctx, input.to_global);
      const note = "No other ecosystem was chosen before with ecosystem switch";
      return { data: { ...scopeData(ctx), moved, ...(moved ? {} : { note }) } };
    }
    const moved = session.canGoBack || !session.isHome;
    if (input.to_global || !session.back()) session.toGlobal();
    return {
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
    };
  },
  render: (data: ScopeData & { moved: boolean }) => ({
    summary: data.moved ? `Went back to ${data.breadcrumb}.` : `Stayed at ${data.breadcrumb}.`,
  }),
});
