// Covers what a person is shown of a campaign over many repositories.

import { assertEquals } from "@std/assert";
import { closeCampaign } from "../../../../src/commands/campaign/close.ts";
import { pushCampaign } from "../../../../src/commands/campaign/push.ts";
import { campaignStatus } from "../../../../src/commands/campaign/status.ts";
import { layOutParts } from "../../../../src/doors/cli/layout.ts";
import { partsOf } from "../../../../src/base/text/parts.ts";

import { wordingFor } from "../../../../src/pipeline/wording.ts";

const MANY = Array.from({ length: 20 }, (_, index) => `svc-${index}`);
const say = wordingFor("cli", 0);

/** The lines at the end of what is told, as many as say something that counts. */
function ends(details: Parameters<typeof partsOf>[0], lines: number): readonly string[] {
  return layOutParts(partsOf(details), 80).split("\n").slice(-lines)
    .map((line) => line.replaceAll(/ +/g, " "));
}

Deno.test("amof campaign status shows a person with many only the repositories to look at", () => {
  const repos = MANY.map((repo, at) => ({
    repo,
    detail: at === 0 ? "exit status 3" : "",
    state: at === 0 ? "failed" as const : at === 1 ? "unchanged" as const : "changed" as const,
    commit: at < 2 ? null : "a".repeat(40),
    shape: at < 2 ? null : "b".repeat(64),
    pushed: at > 10,
    remote: at === 19 ? "moved" as const : at > 10 ? "ours" as const : null,
  }));
  const data = { campaigns: [], repos };
  const campaigns = [{
    name: "tidy",
    state: "open" as const,
    branch: "campaign/tidy",
    created: "",
    run_id: null,
    repos: 20,
    changed: 18,
    approved: 18,
    pushed: 9,
    merged: 0,
    unchanged: 1,
    held_back: 0,
    failed: 1,
    gone: 0,
  }];
  const told = (all?: boolean) =>
    campaignStatus.render({ ...data, campaigns }, { campaign: "tidy", remotes: true, all }, say);
  assertEquals(ends(told().details, 4), [
    "REPO STATE COMMIT PUSHED DETAIL",
    "svc-0 failed — — exit status 3",
    "svc-19 changed aaaaaaa moved —",
    "1 unchanged, 8 pushed, 9 not pushed · --all",
  ]);
  assertEquals(ends(told(true).details, 20)[0], "svc-0 failed — — exit status 3");
});

Deno.test("amof campaign push shows a person with many only what did not go", () => {
  const repos = MANY.map((name, at) => ({
    name,
    commit: "a".repeat(40),
    detail: at === 7 ? "its branch is elsewhere" : "",
    result: at === 7 ? "moved" as const : at === 8 ? "up_to_date" as const : "pushed" as const,
  }));
  const data = { campaign: "tidy", branch: "campaign/tidy", later: 0, waiting: 0, repos };
  const told = (all?: boolean) => pushCampaign.render(data, { campaign: "tidy", all }, say);
  assertEquals(ends(told().details, 3), [
    "REPO RESULT COMMIT DETAIL",
    "✗ svc-7 moved aaaaaaa its branch is elsewhere",
    "1 up to date, 18 pushed · --all",
  ]);
  assertEquals(ends(told(true).details, 19)[0], "✓ svc-0 pushed aaaaaaa —");
});

Deno.test("amof campaign close shows a person with many only the branches that are left", () => {
  const repos = MANY.map((name, at) => ({
    name,
    result: at === 3 ? "kept" as const : "deleted" as const,
    detail: at === 3 ? "somebody has added commits" : "",
  }));
  const data = { campaign: "tidy", state: "closed" as const, delete_branches: true, repos };
  const input = { campaign: "tidy", delete_branches: true };
  assertEquals(ends(closeCampaign.render(data, input, say).details, 3), [
    "REPO RESULT DETAIL",
    "– svc-3 kept somebody has added commits",
    "19 deleted · --all",
  ]);
  assertEquals(
    ends(closeCampaign.render(data, { ...input, all: true }, say).details, 21).length,
    21,
  );
});
