/**
 * What follows an answer about the pull requests of a ticket: row 23 of NEXT-5.
 *
 * @module
 */

import type { Fields } from "../../../../../src/base/object.ts";
import { type Case, type Given } from "../_support.ts";

const REST = ["get_ecosystem_status", "ticket_list"];

function answer(tool: string, state: string | null, ...repos: Fields[]): Given {
  const set = state === null ? {} : { change_set: { ticket_id: "PROJ-1", state } };
  return { tool: `amof_pr_${tool}`, data: { ticket_id: "PROJ-1", ...set, repos } };
}

function none(commits: number): Given {
  const { tool, data } = answer("status", "none");
  return { tool, data: { ...data, without: [{ name: "api", commits }] } };
}

/** Row 23 of NEXT-5. */
export const AFTER_CHANGE: readonly Case[] = [
  {
    that: "offers to look at pull requests after they were opened",
    given: answer("open", null, { name: "api", result: "opened" }),
    ids: ["pr_status", "get_ecosystem_status", "ticket_list"],
  },
  {
    that: "offers to look at pull requests after only some were opened",
    given: { ...answer("open", null, { name: "api", result: "opened" }), code: "partial_failure" },
    ids: ["pr_status", "get_ecosystem_status", "ticket_list"],
  },
  {
    that: "offers to look at no pull requests where there are none",
    given: answer("open", null, { name: "api", result: "skipped", number: null }, {
      name: "web",
      result: "pushed",
      number: null,
    }),
    ids: REST,
  },
  {
    that: "offers to look at the pull request that was there",
    given: answer("open", null, { name: "api", result: "skipped", number: 3 }),
    ids: ["pr_status", ...REST],
  },
  {
    that: "offers to open what is not",
    given: none(2),
    ids: ["pr_open", ...REST],
  },
  {
    that: "offers to open nothing where there are no commits",
    given: none(0),
    ids: REST,
  },
  {
    that: "offers to end nothing of which one was closed",
    given: answer("status", "partly_landed", { state: "merged", blocked_by: [] }, {
      state: "closed",
    }),
    ids: REST,
  },
  {
    that: "offers to land what is ready",
    given: answer("status", "ready"),
    ids: ["pr_land", ...REST],
  },
  {
    that: "offers nothing of a draft, which a person keeps so",
    given: answer("status", "open", { state: "open", blocked_by: ["draft"] }),
    ids: REST,
  },
  {
    that: "offers to push what is only here",
    given: answer("status", "open", { state: "open", blocked_by: ["not_pushed", "checks"] }),
    ids: ["pr_update", ...REST],
  },
  {
    that: "offers to open anew what is closed",
    given: answer("status", "closed", { state: "closed", blocked_by: [] }),
    ids: ["pr_open", ...REST],
  },
  {
    that: "offers nothing of a closed ticket that is not worked on here",
    given: {
      tool: "amof_pr_status",
      data: {
        change_set: { ticket_id: "PROJ-1", state: "closed", known: false },
        repos: [{ state: "closed", blocked_by: [] }],
      },
    },
    ids: REST,
  },
  {
    that: "offers nothing that waits for a review",
    given: answer("status", "open", { state: "open", blocked_by: ["review"] }),
    ids: REST,
  },
  {
    that: "offers to land the rest",
    given: answer(
      "status",
      "partly_landed",
      { state: "open", blocked_by: [] },
      { state: "open", blocked_by: ["depends_on:api"] },
    ),
    ids: ["pr_land", ...REST],
  },
  {
    that: "offers no landing of a rest that is held back",
    given: answer("status", "partly_landed", { state: "open", blocked_by: ["checks"] }),
    ids: REST,
  },
  {
    that: "offers the end of a ticket that has landed, also after the landing",
    given: answer("land", "landed"),
    ids: ["ticket_end", "pr_status", "get_ecosystem_status", "ticket_list"],
  },
  {
    that: "offers to look at a landing that goes on in a queue",
    given: answer("land", "landing"),
    ids: ["pr_status", ...REST],
  },
  {
    that: "leaves ask mode what only reads",
    given: { ...answer("status", "ready"), mode: "ask" },
    ids: REST,
  },
];
