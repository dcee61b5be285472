/**
 * What follows a status: row 6 of NEXT-5 with NEXT-6.
 *
 * @module
 */

import { type Case, findAny, repo, status } from "../_support.ts";

/** A workspace without tickets. */
const TICKETLESS = { active_ticket: null, ticket_count: 0 };

/** Row 6 of NEXT-5 with NEXT-6. */
export const AFTER_STATUS: readonly Case[] = [
  {
    that: "offers to switch to the active ticket when a branch is wrong",
    given: status({}, repo({ status: "WRONG_BRANCH+DIRTY" })),
    ids: ["ticket_switch", "sync_ecosystem", "ticket_list"],
  },
  {
    that: "offers the end of a ticket whose branches were all deleted with nothing only here",
    given: status(
      {},
      repo({
        status: "WRONG_BRANCH",
        branch: "main",
        expected_branch: "feature/T-1",
        deleted: 0,
      }),
      repo({ name: "web", branch: "main", base_branch: "main", expected_branch: "main" }),
    ),
    ids: ["ticket_end", "sync_ecosystem", "ticket_list"],
  },
  {
    that: "offers no end of a ticket of which only a part was looked at",
    given: {
      ...status(
        {},
        repo({
          status: "WRONG_BRANCH",
          branch: "main",
          expected_branch: "feature/T-1",
          deleted: 0,
        }),
      ),
      selection: { repos: ["api"] },
    },
    ids: ["sync_ecosystem", "ticket_list"],
  },
  {
    that: "offers neither the end nor a switch where one of a ticket's branches was deleted",
    given: status(
      {},
      repo({
        status: "WRONG_BRANCH",
        branch: "main",
        expected_branch: "feature/T-1",
        deleted: 0,
      }),
      repo({ name: "web", branch: "feature/T-1", expected_branch: "feature/T-1" }),
    ),
    ids: ["sync_ecosystem", "ticket_list"],
  },
  {
    that: "offers no switch where only repositories without a branch of the ticket are astray",
    given: status(
      {},
      repo({
        status: "WRONG_BRANCH",
        branch: "main",
        expected_branch: "trunk",
        base_branch: "trunk",
      }),
      repo({
        name: "lib",
        status: "DETACHED",
        mode: "RO",
        expected_branch: "main",
        base_branch: "main",
      }),
    ),
    ids: ["sync_ecosystem", "ticket_list"],
  },
  {
    that: "offers to switch where a repository of the ticket is astray beside others",
    given: status(
      {},
      repo({
        status: "WRONG_BRANCH",
        branch: "main",
        expected_branch: "trunk",
        base_branch: "trunk",
      }),
      repo({ name: "web", status: "WRONG_BRANCH", branch: "main", expected_branch: "feature/T-1" }),
    ),
    ids: ["ticket_switch", "sync_ecosystem", "ticket_list"],
  },
  {
    that: "offers no switch in a workspace of the ticket's own, where nothing is switched",
    given: status(
      { ticket: "PROJ-1" },
      repo({ status: "WRONG_BRANCH", branch: "main", expected_branch: "feature/PROJ-1" }),
    ),
    ids: ["sync_ecosystem", "ticket_list"],
  },
  {
    that: "offers no switch for a wrong branch without a ticket",
    given: status(TICKETLESS, repo({ status: "WRONG_BRANCH" })),
    ids: ["ticket_start", "sync_ecosystem", "ticket_list"],
  },
  {
    that: "offers to sync when a repository is missing",
    given: status({}, repo({ status: "MISSING" })),
    ids: ["sync_ecosystem", "ticket_list"],
  },
  {
    that: "offers to push when something is unpushed",
    given: status({}, repo({ status: "DIRTY+UNPUSHED", dirty: true, unpushed: true })),
    ids: ["push_ecosystem", "sync_ecosystem", "ticket_list"],
  },
  {
    that: "offers no push for a read-only repository",
    given: status({}, repo({ status: "UNPUSHED", mode: "RO", unpushed: true })),
    ids: ["sync_ecosystem", "ticket_list"],
  },
  {
    that: "offers to commit and push when something is only dirty",
    given: status({}, repo({ status: "DIRTY", dirty: true })),
    ids: ["push_ecosystem", "sync_ecosystem", "ticket_list"],
  },
  {
    that: "offers to take what is on base branches into the active ticket, and then their push",
    given: status({}, repo({ status: "DIRTY", dirty: true, branch: "main", base_branch: "main" })),
    ids: ["ticket_add", "push_ecosystem", "sync_ecosystem"],
  },
  {
    that:
      "offers a new ticket for what is on base branches beside one whose merged branches are changed",
    given: status(
      {},
      repo({ name: "api", status: "DIRTY+MERGED", dirty: true, landed: "a1", branch: "f" }),
      repo({ name: "web", status: "DIRTY", dirty: true, branch: "main", base_branch: "main" }),
    ),
    ids: ["ticket_start", "push_ecosystem", "sync_ecosystem"],
  },
  {
    that:
      "offers to begin a ticket with it where the server has no tool that takes it into the active one",
    given: {
      ...status({}, repo({ status: "DIRTY", dirty: true, branch: "main", base_branch: "main" })),
      find: (name) => name === "amof_ticket_add" ? null : findAny(name),
    },
    ids: ["ticket_start", "push_ecosystem", "sync_ecosystem"],
  },
  {
    that: "offers to begin a ticket with what is on base branches where the active one was ended",
    given: status(
      {},
      repo({
        status: "UNPUSHED",
        unpushed: true,
        ahead: 1,
        branch: "main",
        base_branch: "main",
        ticket_ended: true,
      }),
    ),
    ids: ["ticket_start", "push_ecosystem", "sync_ecosystem"],
  },
  {
    that: "offers the end of a ticket whose work is merged, and no push",
    given: status({}, repo({ status: "MERGED" })),
    ids: ["ticket_end", "sync_ecosystem", "ticket_list"],
  },
  {
    that: "offers to begin a ticket with what is on base branches, and then their push",
    given: status(
      TICKETLESS,
      repo({ status: "DIRTY", dirty: true, branch: "main", base_branch: "main" }),
    ),
    ids: ["ticket_start", "push_ecosystem", "sync_ecosystem"],
  },
  {
    that: "offers so beside tickets that are not active, and while another repository is stuck",
    given: status(
      { active_ticket: null, ticket_count: 2 },
      repo({ status: "UNPUSHED", unpushed: true, ahead: 1, branch: "main", base_branch: "main" }),
      repo({ name: "web", status: "DETACHED", in_progress: "rebase" }),
    ),
    ids: ["ticket_start", "push_ecosystem", "ticket_list"],
  },
  {
    that:
      "offers a ticket in the base workspace for commits on base branches where tickets have workspaces of their own",
    given: status(
      { active_ticket: null, ticket_count: 1, per_ticket: true },
      repo({ status: "UNPUSHED", unpushed: true, ahead: 1, branch: "main", base_branch: "main" }),
    ),
    ids: ["ticket_start", "push_ecosystem", "ticket_list"],
  },
  {
    that: "offers a ticket with changes there, which it takes along",
    given: status(
      { active_ticket: null, ticket_count: 1, per_ticket: true },
      repo({ status: "DIRTY", dirty: true, branch: "main", base_branch: "main" }),
    ),
    ids: ["ticket_start", "push_ecosystem", "ticket_list"],
  },
  {
    that: "offers only the push of a base branch in a ticket's own workspace",
    given: status(
      { active_ticket: null, ticket: "PROJ-1" },
      repo({ status: "DIRTY", dirty: true, branch: "main", base_branch: "main" }),
    ),
    ids: ["push_ecosystem", "ticket_list", "sync_ecosystem"],
  },
  {
    that: "offers the update of a ticket that is behind its base branch",
    given: status({}, repo({ behind_base: 2 })),
    ids: ["ticket_update", "sync_ecosystem"],
  },
  {
    that: "offers the push of what is behind its base branch first",
    given: status({}, repo({ status: "UNPUSHED", unpushed: true, behind_base: 2 })),
    ids: ["push_ecosystem", "sync_ecosystem", "ticket_list"],
  },
  {
    that: "offers what was put away of a ticket before its end, of which that is in the way",
    given: status({}, repo({ status: "MERGED", stashes: 1, kept: "amof:PROJ-1" })),
    ids: ["ticket_update", "sync_ecosystem", "ticket_list"],
  },
  {
    that: "offers the end of what is merged of a ticket that has more at its remote",
    given: status(
      {},
      repo({ name: "api", status: "MERGED" }),
      repo({ name: "web", branch: "feature/PROJ-1", upstream: "origin/feature/PROJ-1" }),
    ),
    ids: ["ticket_end", "sync_ecosystem", "ticket_list"],
  },
  {
    that: "offers the end of a ticket that is merged before a new one for what is on a base branch",
    given: status(
      {},
      repo({ name: "api", status: "MERGED", branch: "feature/x", base_branch: "main" }),
      repo({
        name: "docs",
        status: "DIRTY",
        dirty: true,
        branch: "main",
        base_branch: "main",
        expected_branch: "main",
      }),
    ),
    ids: ["ticket_end", "ticket_start", "push_ecosystem"],
  },
  {
    that: "offers the push first where a ticket is merged in one repository only",
    given: status(
      {},
      repo({ name: "api", status: "MERGED" }),
      repo({ name: "web", status: "UNPUSHED", unpushed: true, ahead: 1 }),
    ),
    ids: ["push_ecosystem", "sync_ecosystem", "ticket_list"],
  },
  {
    that: "offers to put changes behind what is merged on top of it, or into a ticket of their own",
    given: status(
      {},
      repo({
        status: "DIRTY+MERGED",
        dirty: true,
        landed: "a1",
        needs: [{ problem: "", fix: "amof ticket update T-1 --repo api --stash" }],
      }),
    ),
    ids: ["ticket_update", "ticket_start", "sync_ecosystem"],
  },
  {
    that: "offers a new ticket alone for changes on a merged branch that its remote still has",
    given: status({}, repo({ status: "DIRTY+MERGED", dirty: true, landed: "a1" })),
    ids: ["ticket_start", "sync_ecosystem", "ticket_list"],
  },
  {
    that: "offers a new ticket for changes on a merged branch that is where it was pushed from",
    given: status(
      {},
      repo({ status: "DIRTY+MERGED", dirty: true, commit: "a1", last_push: { commit: "a1" } }),
    ),
    ids: ["ticket_start", "sync_ecosystem", "ticket_list"],
  },
  {
    that: "offers the push of changes on a merged branch that was moved on for them",
    given: status(
      {},
      repo({ status: "DIRTY+MERGED", dirty: true, commit: "b2", last_push: { commit: "a1" } }),
    ),
    ids: ["push_ecosystem", "sync_ecosystem", "ticket_list"],
  },
  {
    that: "offers to put commits behind what is merged on top of it",
    given: status(
      {},
      repo({
        status: "UNPUSHED",
        unpushed: true,
        ahead: 2,
        landed: "a1",
        needs: [{ problem: "", fix: "amof ticket update T-1 --repo api" }],
      }),
    ),
    ids: ["ticket_update", "sync_ecosystem", "ticket_list"],
  },
  {
    that: "offers no end where no ticket is active",
    given: status({ active_ticket: null, ticket_count: 1 }, repo({ status: "MERGED" })),
    ids: ["ticket_list", "sync_ecosystem"],
  },
  {
    that: "offers no push of commits on another branch than the one that is checked out",
    given: status(
      {},
      repo({
        status: "UNPUSHED",
        unpushed: true,
        ahead: 0,
        other_unpushed: [{ branch: "main", ahead: 1 }],
      }),
    ),
    ids: ["sync_ecosystem", "ticket_list"],
  },
  {
    that: "offers nothing of a repository in the middle of a merge",
    given: status(
      {},
      repo({
        status: "CONFLICT+DIRTY+UNPUSHED",
        dirty: true,
        unpushed: true,
        in_progress: "merge",
        conflicts: 1,
      }),
    ),
    ids: ["sync_ecosystem", "ticket_list"],
  },
  {
    that: "offers neither a switch nor a new ticket while a rebase waits, which would refuse both",
    given: status(
      { ticket_count: 0 },
      repo({ status: "DETACHED", in_progress: "rebase" }),
    ),
    ids: ["sync_ecosystem", "ticket_list"],
  },
  {
    that: "offers no switch to a ticket while a repository is on no branch, which would refuse it",
    given: status({}, repo({ status: "DETACHED" })),
    ids: ["sync_ecosystem", "ticket_list"],
  },
  {
    that: "offers to start a ticket when there is none",
    given: status(TICKETLESS, repo({})),
    ids: ["ticket_start", "sync_ecosystem", "ticket_list"],
  },
  {
    that: "offers no ticket where no repository could take part",
    given: status(TICKETLESS, repo({ mode: "RO" })),
    ids: ["sync_ecosystem", "ticket_list"],
  },
  {
    that: "offers no ticket where there is no repository",
    given: status(TICKETLESS),
    ids: ["sync_ecosystem", "ticket_list"],
  },
  {
    that: "puts a ticket before what is less urgent when something is dirty",
    given: status(TICKETLESS, repo({ status: "DIRTY", dirty: true })),
    ids: ["push_ecosystem", "ticket_start", "sync_ecosystem"],
  },
  {
    that: "offers the tickets when none is active",
    given: status({ active_ticket: null, ticket_count: 2 }, repo({})),
    ids: ["ticket_list", "sync_ecosystem"],
  },
  {
    that: "offers to install, then the validation, when the answer says that nothing is installed",
    given: { tool: "amof_get_ecosystem_status", data: { workspace: null, repos: [] } },
    ids: ["install_ecosystem", "validate_manifest"],
  },
  {
    that: "offers to sync when nothing calls for attention; a push waits for something to push",
    given: status({}, repo({})),
    ids: ["sync_ecosystem", "ticket_list"],
  },
  {
    that: "offers sync and a ticket when the answer tells nothing of tickets",
    given: { tool: "amof_get_ecosystem_status", data: {} },
    ids: ["sync_ecosystem", "ticket_start", "ticket_list"],
  },
  {
    that: "leaves ask mode the tickets, whatever was found",
    given: {
      ...status(TICKETLESS, repo({ dirty: true, unpushed: true }), repo({ status: "MISSING" })),
      mode: "ask",
    },
    ids: ["ticket_list"],
  },
  {
    that: "keeps the urgent three when everything is found",
    given: status(
      {},
      repo({ status: "WRONG_BRANCH+UNPUSHED", unpushed: true }),
      repo({ name: "web", status: "UNPUSHED", unpushed: true }),
      repo({ name: "docs", status: "MISSING" }),
    ),
    ids: ["ticket_switch", "sync_ecosystem", "push_ecosystem"],
  },
  {
    that: "takes a check that found something for the answer it carries",
    given: {
      ...status({}, repo({ status: "UNPUSHED", unpushed: true })),
      phase: "result",
      code: "check_failed",
    },
    ids: ["push_ecosystem", "sync_ecosystem", "ticket_list"],
  },
];
