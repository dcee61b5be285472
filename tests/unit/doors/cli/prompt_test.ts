// Covers how questions stand on terminals of any width, and what a person who is asked for consent can see of it.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { layOutParts } from "../../../../src/doors/cli/layout.ts";
import { askPerson, askYesNo, isInteractive } from "../../../../src/doors/cli/prompt.ts";
import type { ApprovalRequest } from "../../../../src/pipeline/consent/approver.ts";
import { foldedLines, foldedRepos } from "../../../../src/base/text/parts.ts";
import { table } from "../../../../src/base/text/table.ts";
import { memoryWorld } from "../../../support/memory.ts";

const QUESTION = '"api" cannot be cloned. Install the others, and this one later with amof sync?';

Deno.test("a question is broken between its words, never inside of [y/N], at every width", async () => {
  const { signal } = new AbortController();
  for (let columns = 20; columns <= 120; columns++) {
    const { system, output } = memoryWorld({ terminal: true, input: ["y"] });
    const terminal = { ...system.terminal, columns };
    assertEquals(await askYesNo(terminal, QUESTION, signal), true);
    const lines = output.err.split("\n");
    assertEquals(lines.filter((line) => line.length > columns), [], String(columns));
    assertEquals(output.err.replaceAll(/\s+/g, " "), `${QUESTION} [y/N] `);
  }
});

const CLONES = Array.from({ length: 13 }, (_, at) => `Clone svc-${at} from https://host/svc-${at}`);

/** What a person with these answers decides about a preview, and what they are shown. */
async function asked(
  details: ApprovalRequest["details"],
  { answers, typed = null }: {
    readonly answers: readonly string[];
    readonly typed?: ApprovalRequest["typed"];
  },
): Promise<{ readonly decision: string; readonly shown: string }> {
  const { system, output } = memoryWorld({ terminal: true, input: [...answers] });
  const { decision } = await askPerson(system.terminal, {
    heading: "Install demo?",
    deed: "install",
    kind: "simple",
    summary: "Would install demo.",
    details,
    irreversible: null,
    typed,
    signal: new AbortController().signal,
  });
  return { decision, shown: output.err };
}

Deno.test("who is asked for consent sees all that is folded by answering ?, and is asked once more", async () => {
  const folded = foldedLines(CLONES, "Clone 13 repositories from https://host", {});
  const agreed = await asked(folded, { answers: ["?", "y"] });
  assertEquals(agreed.decision, "accepted");
  const [brief = "", whole = ""] = agreed.shown.split("[y/N/?]");
  assertStringIncludes(brief, "Clone 13 repositories from https://host · ? shows all\n");
  assert(!brief.includes("svc-12"));
  for (const line of CLONES) assertStringIncludes(whole, `  ${line}\n`);
  assertStringIncludes(whole, "Proceed with install? [y/N] ");
  for (const answers of [["y"], ["n"], ["?", "n"]]) {
    const { decision } = await asked(folded, { answers });
    assertEquals(decision, answers[0] === "y" ? "accepted" : "declined");
  }
  const typed = { what: "ecosystem name", value: "demo" };
  const rows = table(["repo"], CLONES.map((line) => [line])).folding(() => true, "to clone");
  const named = await asked([rows], { answers: ["?", "demo"], typed });
  assertEquals(named.decision, "accepted");
  assertStringIncludes(named.shown, "13 to clone · ? shows all\n");
  assertStringIncludes(named.shown, "Type the ecosystem name to proceed, or ?: ");
  assertStringIncludes(named.shown, CLONES[12] ?? "none");
});

Deno.test("what a command without --all has much of is told in short in its question alone", async () => {
  const folded = foldedLines(CLONES, "Delete 13 clones", { onlyAsked: true });
  const { shown } = await asked(folded, { answers: ["?", "y"] });
  const [brief = "", whole = ""] = shown.split("[y/N/?]");
  assertStringIncludes(brief, "Delete 13 clones · ? shows all\n");
  for (const line of CLONES) assertStringIncludes(whole, `  ${line}\n`);
  assertEquals(layOutParts(folded, 80), CLONES.join("\n"));
});

Deno.test("what a command without --all would do to many alike is told once with all names, and each to who can ask", async () => {
  const repos = Array.from({ length: 13 }, (_, at) => ({ name: `r${at}` }));
  const say = ({ name }: { readonly name: string }) => `${name}  one file\n    new  x.txt`;
  const folded = foldedRepos(
    [{ name: "web", files: 2 }, ...repos.map((repo) => ({ ...repo, files: 1 }))],
    (repo) => repo.files === 2 ? `${repo.name}  two files` : say(repo),
    { onlyAsked: true },
  );
  const names = repos.map(({ name }) => name);
  assertEquals(layOutParts(folded, 200).split("\n"), [
    "web  two files",
    `13 repositories  one file: ${names.slice(0, -1).join(", ")} and r12`,
    "    new  x.txt",
  ]);
  // A program is told each, and so is who asks for it.
  const each = ["web  two files", ...repos.map(say)].join("\n");
  assertEquals(layOutParts(folded, null), each);
  const { shown } = await asked(folded, { answers: ["?", "y"] });
  const [brief = "", whole = ""] = shown.split("[y/N/?]");
  assertStringIncludes(brief, "13 repositories  one file: r0, r1, r2 and 10 more\n");
  for (const line of each.split("\n")) assertStringIncludes(whole, `  ${line}\n`);
});

Deno.test("what is shown whole is asked about once, without a key for more", async () => {
  const { decision, shown } = await asked(CLONES.slice(0, 3), { answers: ["?", "y"] });
  assertEquals(decision, "declined");
  assertStringIncludes(shown, "[y/N] ");
});

Deno.test("only a person at a terminal is asked, of whom both input and messages are", () => {
  const { system } = memoryWorld({ terminal: true });
  const flags = { json: false, noInput: false };
  const asked = (terminal: object, env: object = {}, given: object = {}) =>
    isInteractive(
      { ...system.terminal, stdinIsTerminal: true, stderrIsTerminal: true, ...terminal },
      { ...system.env, get: (name) => (env as Record<string, string>)[name] },
      { ...flags, ...given },
    );
  assertEquals(asked({}), true);
  assertEquals(asked({}, { CI: "false" }), true);
  assertEquals(asked({ stdinIsTerminal: false }), false);
  assertEquals(asked({ stderrIsTerminal: false }), false);
  assertEquals(asked({}, { CI: "true" }), false);
  assertEquals(asked({}, {}, { json: true }), false);
  assertEquals(asked({}, {}, { noInput: true }), false);
});
