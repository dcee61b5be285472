/**
 * How an offer becomes an action: tool, arguments, words and safety.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import type { ActionId } from "../../../../src/contract/next.ts";
import { DEFINITIONS } from "../../../../src/pipeline/suggest/definitions.ts";
import { suggest } from "../../../../src/pipeline/suggest/mod.ts";
import { toAction } from "../../../../src/pipeline/suggest/offer.ts";
import {
  first,
  type Given,
  listing,
  repo,
  RUN,
  runAnswer,
  situation,
  status,
  TOKEN,
  tool,
} from "./_support.ts";

Deno.test("suggest() fills an action in completely", () => {
  const given = status({}, repo({ status: "UNPUSHED", unpushed: true }));
  assertEquals(first(given), {
    id: "push_ecosystem",
    label: "Push changes",
    tool: "amof_push_ecosystem",
    args: { ecosystem: "demo" },
    scope: "ecosystem",
    mode_required: "execute",
    safety: "dangerous-write",
    confirm: true,
    priority: 1,
    description: "Send local commits to their remotes.",
    condition: "status.has_unpushed",
  });
});

Deno.test("suggest() leaves the condition out where there is none", () => {
  assertEquals(Object.hasOwn(first({ tool: "amof_create_journal" }), "condition"), false);
});

Deno.test("suggest() goes back to the ecosystem of the run, not to that of the session", () => {
  const given = runAnswer("amof_summarize_run", "success");
  const back = suggest(situation({ ...given, data: { ...given.data, ecosystem: "shop" } }))
    .find((action) => action.id === "back_to_ecosystem");
  assertEquals(back?.args, { ecosystem: "shop" });
});

Deno.test("suggest() names the ticket and shortens to the plain label where it does not fit", () => {
  const list = (ticket_id: string): Given => ({
    tool: "amof_ticket_list",
    data: { tickets: [{ ticket_id, active: false }] },
  });
  assertEquals(first(list("PROJ-123")).label, "Switch to PROJ-123");
  assertEquals(first(list("PROJ-123-with-a-long-tail")).label, "Switch ticket");
});

Deno.test("suggest() cuts the name of an ecosystem to the length of a label", () => {
  const action = first(listing("an-ecosystem-with-a-rather-long-name"));
  assertEquals(action.label, "Open an-ecosystem-with-a-rath…");
  assertEquals(action.args, { ecosystem: "an-ecosystem-with-a-rather-long-name" });
});

Deno.test("toAction() offers no ecosystem-scoped action without an ecosystem", () => {
  const nowhere = situation({ tool: "amof_set_mode", at: "global" });
  for (const id of Object.keys(DEFINITIONS) as ActionId[]) {
    const action = toAction({ id, args: { run_id: RUN, token: TOKEN, ticket_id: "A-1" } }, nowhere);
    assertEquals(
      action === null,
      tool(DEFINITIONS[id].tool).scope === "ecosystem" || id === "switch_ecosystem",
    );
  }
});
