/**
 * What is suggested after an answer about a campaign (NEXT-5, row 22).
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { suggest } from "../../../../../src/pipeline/suggest/mod.ts";
import { situation, testCases } from "../_support.ts";
import { AFTER_CAMPAIGN } from "../cases/after_campaign.ts";

testCases(AFTER_CAMPAIGN);

Deno.test("suggest() names the campaign, and the shape that was shown", () => {
  const shown = {
    tool: "amof_show_campaign",
    data: { campaign: "tidy", shapes: [{ id: "4e8c1d7a03b2", repos: ["api"], approved: false }] },
  };
  const [approve] = suggest(situation(shown));
  assertEquals(approve?.args, { ecosystem: "demo", campaign: "tidy", shapes: ["4e8c1d7a03b2"] });
  const pushed = {
    tool: "amof_push_campaign",
    data: { campaign: "tidy", repos: [{ name: "api", result: "pushed" }], later: 0 },
  };
  const [status] = suggest(situation(pushed));
  assertEquals(status?.args, { ecosystem: "demo", campaign: "tidy", remotes: true });
});
