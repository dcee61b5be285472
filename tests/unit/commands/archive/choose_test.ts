// Covers which archive a restore means, and which tickets of archives can come back.

import { assertEquals, assertThrows } from "@std/assert";
import { type Archive, chooseArchive, newFile } from "../../../../src/commands/archive/record.ts";
import { newestWith, nothingAway } from "../../../../src/commands/archive/tickets/back.ts";
import { AmofError } from "../../../../src/base/error.ts";

function archive(name: string, tickets: readonly string[] = []): Archive {
  return {
    name,
    file: `ecosystems/demo/archives/${name}.json`,
    damaged: [],
    problem: null,
    record: {
      version: 1,
      ecosystem: "demo",
      archived_at: "2026-01-01T00:00:00.000Z",
      workspace_branch: "workspace/demo",
      workspace_commit: null,
      message: null,
      tickets: [],
      repos: [],
      state: null,
      ticket_workspaces: tickets.map((away) => ({ away })) as never,
    },
  };
}

function broken(name: string): Archive {
  return {
    name,
    file: `ecosystems/demo/archives/${name}.json`,
    damaged: [],
    record: null,
    problem: "it is not valid JSON",
  };
}

interface Case {
  readonly archives: readonly Archive[];
  readonly named?: string;
  /** Whether the workspace is there. */
  readonly isThere?: boolean;
  /** The archive that is meant, or code, message and hint of the refusal. */
  readonly is: string | readonly [string, string, string];
}

const CASES: Readonly<Record<string, Case>> = {
  "the newest without a name": { archives: [archive("demo-2"), archive("demo-1")], is: "demo-2" },
  "a named one": {
    archives: [archive("demo-2"), archive("demo-1")],
    named: "demo-1",
    is: "demo-1",
  },
  "the name of its file": { archives: [archive("demo-1")], named: "demo-1.json", is: "demo-1" },
  "none at all": {
    archives: [],
    is: [
      "archive_not_found",
      'Cannot restore "demo": it has no archive',
      "Install it: amof -e demo install",
    ],
  },
  "none at all, beside a workspace that stands": {
    archives: [],
    isThere: true,
    is: [
      "archive_not_found",
      'Cannot restore "demo": it has no archive',
      "Its workspace is where it was: amof -e demo status",
    ],
  },
  "a name that nearly is one": {
    archives: [archive("demo-20260101")],
    named: "demo-20260102",
    is: [
      "archive_not_found",
      'Cannot find archive "demo-20260102"; did you mean "demo-20260101"?',
      "Available: demo-20260101",
    ],
  },
  "a name that others wrote": {
    archives: [archive("demo-1")],
    named: "\u001b[2Jthe other",
    is: ["archive_not_found", 'Cannot find archive "the other"', "Available: demo-1"],
  },
  "the newest that can be read": { archives: [archive("demo-1"), broken("demo-0")], is: "demo-1" },
  "one that cannot be read": {
    archives: [archive("demo-1"), broken("demo-0")],
    named: "demo-0",
    is: [
      "state_corrupt",
      "Cannot use the archive ecosystems/demo/archives/demo-0.json: it is not valid JSON",
      "Choose another one: amof archive list",
    ],
  },
};

for (const [what, { archives, named, isThere, is }] of Object.entries(CASES)) {
  Deno.test(`chooseArchive(): ${what}`, () => {
    const choose = () => chooseArchive(archives, "demo", named, isThere);
    if (typeof is === "string") return assertEquals(choose().name, is);
    const { code, message, hint } = assertThrows(choose, AmofError);
    assertEquals([code, message, hint], is);
  });
}

Deno.test("newFile() is told apart by its time, and has nothing that a file system refuses", () => {
  assertEquals(
    newFile("demo", Date.UTC(2026, 0, 2, 3, 4, 5, 6)),
    "ecosystems/demo/archives/demo-20260102T030405006Z.json",
  );
});

Deno.test("newestWith() is the newest archive that names a ticket which is put away", () => {
  const away = [{ name: "demo@T-1-away" }] as never;
  const all = [
    archive("3"),
    archive("2", ["demo@T-2-away", "demo@T-1-away"]),
    archive("1", ["demo@T-1-away"]),
  ];
  assertEquals(newestWith(all, away), "2");
  assertEquals(newestWith(all, []), undefined);
  assertEquals(newestWith([archive("3"), broken("2")], away), undefined);
});

Deno.test("nothingAway() tells why the first ticket stays away, or that there is none", () => {
  const none = nothingAway({ ecosystem: "demo" }, "demo-1", []);
  assertEquals(
    [none.code, none.message],
    [
      "archive_not_found",
      'Cannot bring tickets of "demo" back: demo-1 names none that is put away',
    ],
  );
  const left = nothingAway({ ecosystem: "demo" }, "demo-1", [
    { ticket_id: "T-1", why: "something is at workspace/demo@T-1" },
    { ticket_id: "T-2", why: "it is gone" },
  ] as never);
  assertEquals(
    left.message,
    'Cannot bring tickets of "demo" back: T-1: something is at workspace/demo@T-1',
  );
});
