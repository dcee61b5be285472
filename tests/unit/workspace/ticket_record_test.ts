// Covers the record of a ticket: what is believed of it, and how it stands for the state of a workspace.

import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { AmofError } from "../../../src/base/error.ts";
import {
  isTicketDirectory,
  loadRecord,
  parseTicketRecord,
  recordFile,
  saveRecord,
  ticketDirectory,
  ticketWorkspaces,
} from "../../../src/workspace/tickets/record.ts";
import { loadState, saveState } from "../../../src/workspace/state.ts";
import { memoryWorld } from "../../support/memory.ts";

const START = "a".repeat(40);
const REPO = {
  path: "repos/api",
  role: "work",
  branch: "feature/PROJ-1",
  base: "main",
  start: START,
  mirror: null,
};
const RECORD = {
  version: 1,
  ticket_id: "PROJ-1",
  ecosystem: "shop",
  created_at: "2026-01-02T03:04:05.000Z",
  phase: "started",
  repos: { api: REPO, web: { ...REPO, path: "repos/web", role: "context", branch: "main" } },
  env: { port_base: 20000, port_count: 20 },
};
const SHOP = { name: "shop", workspaceDir: "worktrees/shop" };
const HOME = "/c/worktrees/shop@PROJ-1";

function world(files: Record<string, string> = {}) {
  return memoryWorld({ files }).system;
}

Deno.test("ticketDirectory() is beside the base workspace, for ids that can be a file's name", () => {
  assertEquals(ticketDirectory("/c", SHOP, "PROJ-1"), HOME);
  for (const id of ["", ".", "..", "a/b", "main", "PROJ-1.", "a b", "-x", "x".repeat(65)]) {
    assertThrows(() => ticketDirectory("/c", SHOP, id), AmofError, "Cannot use");
  }
  for (const name of ["shop@PROJ-1", "a@b@c"]) {
    assertEquals(isTicketDirectory(`/c/worktrees/${name}`), name === "shop@PROJ-1", name);
  }
  for (const name of ["shop", "@x", ".shop@PROJ-1.amof-new-12345678", "shop@main", "shop@"]) {
    assertEquals(isTicketDirectory(`/c/worktrees/${name}`), false, name);
  }
});

Deno.test("readRecord() keeps what it does not know, and believes no path, branch or commit", () => {
  const more = { ...RECORD, seal: 1, repos: { api: { ...REPO, tool: "x" } } };
  assertEquals<unknown>(parseTicketRecord(JSON.stringify(more)), more);
  const { mirror: _, ...bare } = REPO;
  assertEquals<unknown>(parseTicketRecord(JSON.stringify({ ...RECORD, repos: { api: bare } })), {
    ...RECORD,
    repos: { api: REPO },
  });
  const repo = (fields: object) => ({ ...RECORD, repos: { api: { ...REPO, ...fields } } });
  for (
    const [record, reason] of [
      [[], "it does not hold an object"],
      [{ ...RECORD, version: 2 }, "it was written by a newer amof"],
      [{ ...RECORD, version: "1" }, "it is of no known version"],
      [{ ...RECORD, ticket_id: "a/b" }, "its ticket is damaged"],
      [{ ...RECORD, ecosystem: ".." }, "its ecosystem is damaged"],
      [{ ...RECORD, created_at: 1 }, "its time is damaged"],
      [{ ...RECORD, phase: "gone" }, "its phase is damaged"],
      [{ ...RECORD, repos: [] }, "its repositories are damaged"],
      [{ ...RECORD, env: { port_base: 1 } }, "its ports are damaged"],
      [{ ...RECORD, repos: { "../x": REPO } }, 'its repository "../x" is damaged'],
      [repo({ path: "../../etc" }), 'the path of its repository "api" is damaged'],
      [repo({ path: "/etc" }), 'the path of its repository "api" is damaged'],
      [repo({ path: "repos/.git" }), 'the path of its repository "api" is damaged'],
      [repo({ role: "owner" }), 'the role of its repository "api" is damaged'],
      [repo({ branch: "--force" }), 'a branch of its repository "api" is damaged'],
      [repo({ base: 3 }), 'a branch of its repository "api" is damaged'],
      [repo({ start: "HEAD" }), 'the beginning of its repository "api" is damaged'],
      [repo({ mirror: 3 }), 'the mirror of its repository "api" is damaged'],
      [repo({ last_push: {} }), 'the last push of its repository "api" is damaged'],
    ] as const
  ) {
    assertEquals<unknown>(parseTicketRecord(JSON.stringify(record)), reason);
  }
  assertEquals(parseTicketRecord("{"), "it is not valid JSON");
});

Deno.test("loadState() and saveState() of a ticket read and write its record", async () => {
  const system = world({ [recordFile(HOME)]: JSON.stringify({ ...RECORD, seal: 1 }) });
  const state = await loadState(system, HOME);
  assertEquals(state?.active_ticket, "PROJ-1");
  assertEquals(state?.tickets["PROJ-1"]?.repos, { api: "feature/PROJ-1" });
  const last_push = { branch: "b", commit: "c", commit_full: "cc", pushed_at: "x" };
  const repos = state?.repos.map((repo) => repo.name === "api" ? { ...repo, last_push } : repo);
  if (state !== null) await saveState(system, HOME, { ...state, repos: repos ?? [] });
  assertEquals<unknown>(await loadRecord(system, HOME), {
    ...RECORD,
    seal: 1,
    repos: { ...RECORD.repos, api: { ...REPO, last_push } },
  });
  assertEquals(await system.files.readText(`${HOME}/.amof/state.json`), null);
  // Any other directory has a state of its own, whatever lies in it.
  const base = world({ [recordFile("/c/worktrees/shop")]: JSON.stringify(RECORD) });
  assertEquals(await loadState(base, "/c/worktrees/shop"), null);
});

Deno.test("ticketWorkspaces() lists the directories of tickets, those that cannot be used with why", async () => {
  const at = (id: string) => recordFile(`/c/worktrees/shop@${id}`);
  const system = world({
    [at("PROJ-1")]: JSON.stringify(RECORD),
    [at("PROJ-2")]: JSON.stringify(RECORD),
    [at("PROJ-3")]: "{",
    "/c/worktrees/shop@PROJ-4/notes.txt": "",
    "/c/worktrees/shop/README.md": "",
    "/c/worktrees/.shop@PROJ-5.amof-new-12345678/x": "",
    "/c/worktrees/shop2@PROJ-6/x": "",
  });
  const found = await ticketWorkspaces(system, "/c", SHOP);
  assertEquals<unknown>(found.map(({ id, record, problem }) => [id, record !== null, problem]), [
    ["PROJ-1", true, null],
    ["PROJ-2", false, "it is that of ticket PROJ-1"],
    ["PROJ-3", false, "it is not valid JSON"],
    ["PROJ-4", false, "there is none"],
  ]);
});

Deno.test("loadRecord() reads no directory as a record", async () => {
  const system = world({ [`${recordFile(HOME)}/x`]: "" });
  await assertRejects(() => loadRecord(system, HOME), AmofError, "it is not a file");
  await assertRejects(
    () => loadRecord(world({ [recordFile(HOME)]: " ".repeat(5 << 20) }), HOME),
    AmofError,
    "too large",
  );
  assertEquals(await loadRecord(world(), HOME), null);
  await saveRecord(system, "/c/worktrees/shop@PROJ-7", RECORD as never);
});
