/** `amof audit`: who asked for what, and who decided (CONFIRM-14). */

import { AmofError } from "../../base/error.ts";
import { query } from "../../contract/mod.ts";
import { DOORS } from "../../base/policy/mode.ts";
import { type AuditEntry, DECISIONS, WAYS } from "../../state/store/mod.ts";
import { timestamp } from "../../base/system/mod.ts";
import { parseMoment } from "../../base/text/moment.ts";
import { cleanLine, cleanValue } from "../../base/text/sanitize.ts";
import { table } from "../../base/text/table.ts";
import { count } from "../../base/text/words.ts";

interface EntryView {
  readonly id: number;
  readonly at: string;
  readonly door: string;
  readonly client: string;
  readonly session_id: string | null;
  readonly root: string | null;
  readonly ecosystem: string | null;
  /** The ticket in whose own workspace it was; null for the base workspace. */
  readonly ticket: string | null;
  readonly tool: string;
  readonly args: unknown;
  readonly mode: string;
  readonly preview_hash: string | null;
  readonly decision: string;
  readonly way: string;
  readonly outcome: string;
  readonly run_id: string | null;
  /** How the run stands now, or null without one or when it was forgotten. */
  readonly run_status: string | null;
  /** Whether a person's passkey signed it; `audit verify` checks that. */
  readonly signed: boolean;
  /** What the next entry holds of this one (AUDIT-1). */
  readonly hash: string;
}

/** Entries of the audit log. */
export interface AuditData {
  readonly entries: readonly EntryView[];
  /** What `--before` takes to see the next older ones; null at the end. */
  readonly next_before: number | null;
}

function view(entry: AuditEntry, runStatus: string | null): EntryView {
  return {
    id: entry.id,
    at: timestamp(entry.at),
    door: entry.door,
    // Programs name themselves, and arguments are whatever they sent.
    client: cleanLine(entry.client, 100),
    session_id: entry.sessionId,
    root: entry.root === "" ? null : entry.root,
    ecosystem: entry.ecosystem === "" ? null : entry.ecosystem,
    ticket: entry.ticket,
    tool: entry.tool,
    args: cleanValue(entry.args),
    mode: entry.mode,
    preview_hash: entry.fingerprint,
    decision: entry.decision,
    way: entry.way,
    outcome: entry.outcome,
    run_id: entry.runId,
    run_status: runStatus,
    signed: entry.evidence !== null,
    hash: entry.hash,
  };
}

/** When is meant with a flag, before now or as a date; throws `invalid_arguments`. */
export function moment(flag: string, text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  const at = parseMoment(text, now);
  if (at !== null) return at;
  throw new AmofError("invalid_arguments", `Cannot use --${flag} "${cleanLine(text, 40)}"`, {
    hint: `Write a time ago or a date: --${flag} 24h, --${flag} 7d, --${flag} 2026-03-02T14:30Z`,
  });
}

/** `amof audit`. */
export const auditCommand = query({
  name: "amof_audit",
  path: ["audit"],
  mcp: "never",
  toolset: "session",
  scope: "global",
  needs: "nothing",
  short: { ticket: "t" },
  title: "Audit",
  summary: "List every decision about a call that could change something, newest first.",
  description:
    "Shows who asked (as the program named itself), the tool with its arguments, the mode, the hash of the preview, what was decided in which way, how the call ended, and its run. Secrets in arguments are masked. Inside a control repository its own entries are shown, elsewhere all.",
  examples: [
    "audit --since 24h",
    "audit --decision declined --json",
    "audit --tool push --client claude --limit 200",
    "audit --ticket PROJ-123 --since 7d",
    "audit --before 1200",
  ],
  fields: ["entries", "entries.id", "entries.at", "entries.door", "entries.client", "next_before"],
  input: (z) => ({
    since: z.string().optional().describe("From then on: 90m, 24h, 7d, or a date in UTC"),
    until: z.string().optional().describe("Before then, written the same way"),
    ecosystem: z.string().optional().describe("Only of this ecosystem"),
    ticket: z.string().optional().describe(
      "Only about this ticket's own workspace; main for others",
    ),
    tool: z.string().optional().describe("Only tools with this in their name, such as push"),
    client: z.string().optional().describe("Only of clients with this in their name"),
    door: z.enum(DOORS).optional().describe("Only what came in there"),
    decision: z.enum(DECISIONS).optional().describe("Only with this decision"),
    way: z.enum(WAYS).optional().describe("Only decided in this way"),
    run: z.string().optional().describe("Only of this run: its id, or the beginning of it"),
    limit: z.int().min(1).max(1000).default(50).describe("At most"),
    before: z.int().min(1).optional().describe(
      "Only entries older than the one with this number",
    ),
  }),
  async run(ctx, input) {
    const { audit, runs } = await ctx.store();
    const now = ctx.system.clock.now();
    const { limit, since, until, run, ecosystem, ...rest } = input;
    // One more than is shown tells whether there is another page.
    const found = audit.list({
      ...rest,
      limit: limit + 1,
      since: moment("since", since, now),
      until: moment("until", until, now),
      run: run?.toLowerCase(),
      ecosystem: ecosystem ?? ctx.session.place.ecosystem ?? undefined,
      root: ctx.root === "" ? undefined : ctx.root,
    });
    const shown = found.slice(0, limit);
    return {
      data: {
        entries: shown.map((entry) =>
          view(entry, entry.runId === null ? null : runs.get(entry.runId)?.status ?? null)
        ),
        next_before: found.length > limit ? shown.at(-1)?.id ?? null : null,
      },
    };
  },
  render: ({ entries, next_before: next }: AuditData, _input, say) => ({
    summary: entries.length === 0
      ? "Found no entries."
      : `Found ${count(entries.length, "entry", "entries")}${next === null ? "" : " and more"}.`,
    details: entries.length === 0
      ? "Entries appear when something could have been changed. Widen the search: amof audit"
      : [
        table(
          [
            "time",
            { name: "client", worth: 3 },
            "tool",
            { name: "ecosystem", worth: 4 },
            { name: "mode", worth: 2 },
            "decision",
            { name: "way", worth: 1 },
            "outcome",
            "run",
          ],
          entries.map((entry) => [
            say.time(entry.at),
            cleanLine(entry.client, 24),
            entry.tool.replace(/^amof_/, ""),
            [entry.ecosystem, entry.ticket].filter((part) => part !== null).join(" > "),
            entry.mode,
            entry.decision,
            entry.way,
            entry.outcome,
            entry.run_id === null
              ? ""
              : `${entry.run_id.slice(0, 8)} ${entry.run_status ?? "forgotten"}`,
          ]),
        ),
        ...(next === null ? [] : [`Older ones: the same command with --before ${next}`]),
      ],
  }),
});
