// Hints are command lines; a model is told the tool and its arguments, by the parser that would read the line.

import { assertEquals } from "@std/assert";
import type { Outcome } from "../../../src/pipeline/envelope.ts";
import { inToolWords, outcomeInToolWords, writtenLines } from "../../../src/pipeline/tool_words.ts";
import { ERROR_CODES } from "../../../src/base/error.ts";
import type { Mode } from "../../../src/base/policy/mode.ts";
import type { Known } from "../../../src/contract/mod.ts";
import { plainText } from "../../../src/base/text/parts.ts";
import { lineProblem } from "../../support/spoken.ts";
import { COMMANDS, findCommand } from "../../support/loaded.ts";

const offers = (command: Known) => command.mcp !== "never";

function said(text: string, tool: string | null = null): Promise<string> {
  return inToolWords(text, { offers, command: tool === null ? null : findCommand(tool) });
}

Deno.test("a command line in a text ends with its clause", () => {
  const lines = (text: string) => writtenLines(text).map(({ words }) => words.join(" "));
  assertEquals(lines("Go to it: amof ticket switch T-1\nList them: amof ticket list"), [
    "ticket switch T-1",
    "ticket list",
  ]);
  assertEquals(lines("Start one with: amof install, amof sync or amof push"), [
    "install",
    "sync",
    "push",
  ]);
  assertEquals(lines("`amof approve ID` shows it (see amof approvals)."), [
    "approve ID",
    "approvals",
  ]);
  assertEquals(lines("Record it: amof push --commit -m 'Fix the login; again'"), [
    "push --commit -m Fix the login; again",
  ]);
  assertEquals(lines("A new version of amof, or /usr/bin/amof itself"), []);
});

Deno.test("hints become tools and arguments over MCP", async () => {
  const cases: readonly (readonly [string, string])[] = [
    [
      "Go to it: amof ticket switch ID --stash",
      'Go to it: amof_ticket_switch(ticket_id="ID", stash=true)',
    ],
    [
      "See: amof -e shop status; or amof -e shop sync --repo api --repo web",
      'See: amof_get_ecosystem_status(ecosystem="shop"); or amof_sync_ecosystem(repos=["api","web"], ecosystem="shop")',
    ],
    [
      "Push them: amof push --repo cli,docs --repo web --tag a,b",
      'Push them: amof_push_ecosystem(repos=["cli","docs","web"], tags=["a","b"])',
    ],
    ["Follow it: amof runs logs 4e8c --follow", 'Follow it: amof_get_run_logs(run_id="4e8c")'],
    [
      "Begin anew: amof release patch --alpha",
      'Begin anew: amof_release_bump(bump_type="patch", pre_release="alpha")',
    ],
    ["Preview: amof install --dry-run", 'Preview: amof_install_ecosystem(mode="plan")'],
    ["See what there is: amof --help", "See what there is: tools/list"],
    ["See: amof push --help", "See: the input schema of amof_push_ecosystem"],
    // A person goes to a terminal for these.
    ["Settle it: amof doctor --repair", "Settle it: amof doctor --repair (in a terminal)"],
    [
      "A person does it in a terminal: cd /control && amof -e shop archive; or look: amof status",
      "A person does it in a terminal: cd /control && amof -e shop archive; or look: amof_get_ecosystem_status()",
    ],
    ["In a terminal: amof spin trust", "In a terminal: amof spin trust"],
    [
      "Let it go: amof push --commit --allow-secret server.key",
      "Let it go: amof push --commit --allow-secret server.key (only by a person, in a terminal)",
    ],
    [
      "Or send it: amof push --allow-merged --repo api",
      "Or send it: amof push --allow-merged --repo api (in a terminal)",
    ],
    [
      "Start it with: amof mcp serve --max-mode MODE",
      "Start it with: amof mcp serve --max-mode MODE",
    ],
    ["Get them: git fetch --tags", "Get them: git fetch --tags"],
  ];
  for (const [text, told] of cases) assertEquals(await said(text), told);
});

Deno.test("flags of the command that was called become its arguments", async () => {
  const cases: readonly (readonly [string, string, string])[] = [
    [
      "amof_ticket_start",
      "Put them away: the same command with --stash",
      "Put them away: the same call with stash=true",
    ],
    [
      "amof_archive_ecosystem",
      "Keep them: the same command without --delete-workspace",
      "Keep them: the same call without delete_workspace",
    ],
    [
      "amof_get_ecosystem_status",
      "Name it with --ecosystem NAME, or go to one: amof ecosystem switch NAME",
      'Name it with ecosystem="NAME", or go to one: amof_switch_ecosystem(ecosystem="NAME")',
    ],
    [
      "amof_push_ecosystem",
      "The same command with --mode plan",
      'The same call with mode="plan"',
    ],
    [
      "amof_install_ecosystem",
      "Repeat it: the same command with --timeout 120",
      "Repeat it: the same call with timeout=120",
    ],
    ["amof_push_ecosystem", "Get its tags: git fetch --tags", "Get its tags: git fetch --tags"],
  ];
  for (const [tool, text, told] of cases) assertEquals(await said(text, tool), told);
});

Deno.test("what others wrote is not reworded", async () => {
  const foreign = (part: string) => "run amof push now --force".includes(part);
  const listener = { offers, command: findCommand("amof_push_ecosystem") };
  assertEquals(
    await inToolWords("run amof push now --force", listener, foreign),
    "run amof push now --force",
  );
});

Deno.test("renderings are reworded wherever they stand, but for what others wrote", async () => {
  const subject = "run amof sync now --force";
  const rendering = `Send it: amof push\n  - ${subject}`;
  const told = await outcomeInToolWords({
    envelope: {
      commits: [{ message: subject }],
      confirmation: { details: rendering },
      error: { details: { confirmation: { details: rendering } } },
    },
    command: findCommand("amof_push_ecosystem"),
    summary: "",
    details: rendering,
    hint: null,
  } as unknown as Outcome, offers);
  const expected = `Send it: amof_push_ecosystem()\n  - ${subject}`;
  assertEquals(plainText(told.details), expected);
  assertEquals(told.envelope as unknown, {
    commits: [{ message: subject }],
    confirmation: { details: expected },
    error: { details: { confirmation: { details: expected } } },
  });
});

Deno.test("what a call was told that named its mode names it, too, where the session has another", async () => {
  const hint = "Commit: amof push --commit\nLook: amof status\nOr: amof sync --dry-run";
  const told = async (session: Mode, mode: Mode) =>
    (await outcomeInToolWords(
      {
        envelope: { _context: { mode } },
        command: findCommand("amof_push_ecosystem"),
        summary: "",
        hint,
      } as unknown as Outcome,
      offers,
      session,
    )).hint?.split("\n")[0];
  const plain = "Commit: amof_push_ecosystem(commit=true)";
  assertEquals(await told("execute", "execute"), plain);
  assertEquals(await told("ask", "plan"), plain);
  assertEquals(
    await told("ask", "execute"),
    'Commit: amof_push_ecosystem(commit=true, mode="execute")',
  );
  const listener = { offers, command: null, mode: "execute" } as const;
  assertEquals(
    await inToolWords(hint.split("\n").slice(1).join("\n"), listener),
    'Look: amof_get_ecosystem_status()\nOr: amof_sync_ecosystem(mode="plan")',
  );
});

Deno.test("every hint of the code table, and every example, can be pasted", async () => {
  for (const [code, { hint }] of Object.entries(ERROR_CODES)) {
    for (const line of writtenLines(hint)) {
      assertEquals(await lineProblem(line.words), null, `${code}: ${hint}`);
    }
  }
  for (const { name, examples } of COMMANDS) {
    for (const example of examples) {
      const [line] = writtenLines(`amof ${example}`);
      assertEquals(await lineProblem(line?.words ?? []), null, `${name}: ${example}`);
    }
  }
});
