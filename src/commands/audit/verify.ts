/** `amof audit verify`: whether the audit log is as it was written (AUDIT-2). */

import { resolve } from "@std/path";
import { AmofError, EXIT } from "../../base/error.ts";
import { type CommandContext, onlyTyped, query, type Wording } from "../../contract/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { keyValues } from "../../base/text/table.ts";
import { count } from "../../base/text/words.ts";
import type { Finding } from "../../state/store/mod.ts";
import { checkExport, checkLog } from "./check.ts";

/** Larger exports are not read at once. */
const MAX_BYTES = 512 * 1024 * 1024;

interface VerifyData {
  readonly in_order: boolean;
  /** The export that was looked at; null for the log itself. */
  readonly file: string | null;
  readonly entries: number;
  readonly first_id: number | null;
  readonly head: { readonly id: number; readonly at: string | null; readonly hash: string } | null;
  /** How many entries were chained later than they were written. */
  readonly before_chain: number;
  /** How many entries of an older program at the end are not chained yet. */
  readonly unchained: number;
  /** The first entry whose loss at the end would be seen; null where there is no anchor. */
  readonly anchored_from: number | null;
  /** How many entries hold the signature of a person's passkey; each was checked. */
  readonly signatures: number;
  readonly findings: readonly Finding[];
  /** How many findings there are besides. */
  readonly more_findings: number;
}

function refuse(shown: string, found: string, hint: string): AmofError {
  return new AmofError("invalid_arguments", `Cannot read the export "${shown}": ${found}`, {
    hint,
  });
}

async function textOf(ctx: CommandContext, shown: string): Promise<string> {
  const { files, env } = ctx.system;
  const path = resolve(env.cwd, shown);
  const info = await files.stat(path);
  if (info === null) throw refuse(shown, "there is no such file", "Make one: amof audit export");
  if (info.kind !== "file") throw refuse(shown, "it is no file", "Name a file");
  if (info.size > MAX_BYTES) {
    throw refuse(
      shown,
      `it has more than ${MAX_BYTES} bytes`,
      "Export parts: amof audit export --help",
    );
  }
  const text = await files.readText(path) ?? "";
  if (text.trim() === "") {
    throw refuse(shown, "it holds no entries", "Make one: amof audit export");
  }
  return text;
}

/** A finding as a line: which entry, with its time if that can be said, and what happened to it. */
function line({ problem, id, at, tool, detail }: Finding, say: Wording | null): string {
  const about = [
    at !== null && say !== null ? say.time(at) : null,
    tool?.replace(/^amof_/, "") ?? null,
  ].filter((each) => each !== null);
  return cleanLine(
    `${problem.replace("_", " ")}: entry ${id}${
      about.length === 0 ? "" : ` (${about.join(", ")})`
    }: ${detail}`,
    400,
  );
}

/** `amof audit verify`. */
export const auditVerify = query({
  name: "amof_audit_verify",
  path: ["audit", "verify"],
  toolset: "telemetry",
  scope: "global",
  needs: "nothing",
  mcp: "asked for",
  title: "Verify audit log",
  summary: "Check that the audit log is as it was written; every finding names its entry.",
  description:
    "Each entry holds the hash of the one before. What was changed, removed, added or moved is named with number, time and tool, and what was cut off at the end is missed by the anchor beside the database; signatures of passkeys are checked. Keep the hash of the head elsewhere: --head HASH then proves that everything up to it is still there.",
  examples: [
    "audit verify",
    "audit verify --head 6f1ed002ab559585",
    "audit verify --file audit.jsonl",
  ],
  fields: ["in_order", "entries", "head", "findings", "findings.id", "findings.problem"],
  input: (z) => ({
    head: z.string().regex(/^[0-9a-fA-F]{16,64}$/, "must be 16 to 64 hexadecimal digits")
      .optional().describe("Hash of an entry that must be there, or its first 16 digits or more"),
    file: onlyTyped(
      z.string().min(1).optional().describe("An export to check instead of the log"),
    ),
  }),
  async run(ctx, input) {
    const wanted = input.head?.toLowerCase() ?? null;
    const pause = async () => {
      await ctx.system.clock.sleep(0);
      ctx.signal.throwIfAborted();
    };
    const checked = input.file === undefined
      ? await checkLog((await ctx.store()).audit, wanted, pause)
      : await checkExport(await textOf(ctx, input.file), wanted, pause);
    const { findings } = checked;
    const data: VerifyData = {
      in_order: findings.length === 0,
      file: input.file ?? null,
      entries: checked.entries,
      first_id: checked.first,
      head: checked.head,
      before_chain: checked.beforeChain,
      unchained: checked.unchained,
      anchored_from: checked.anchoredFrom,
      signatures: checked.signatures,
      findings: findings.map((finding) => ({
        ...finding,
        tool: finding.tool === null ? null : cleanLine(finding.tool, 100),
      })),
      more_findings: checked.more,
    };
    const [first] = data.findings;
    if (first === undefined) return { data };
    const all = data.findings.length + data.more_findings;
    return {
      data,
      failure: new AmofError(
        "check_failed",
        `Found ${count(all, "problem")} in the audit ${
          input.file === undefined ? "log" : "export"
        }${all === 1 ? ":" : ", the first:"} ${line(first, null)}`,
        {
          exit: EXIT.failed,
          hint: input.file === undefined
            ? "Compare with an export that was kept elsewhere: amof audit verify --file FILE"
            : "Compare with the log itself: amof audit verify",
        },
      ),
    };
  },
  render: (data: VerifyData, _input, say) => ({
    summary: data.in_order
      ? `Checked ${count(data.entries, "entry", "entries")}: all as they were written.`
      : `Found ${count(data.findings.length + data.more_findings, "problem")} in ${
        count(data.entries, "entry", "entries")
      }.`,
    details: [
      ...data.findings.map((finding) => `✗ ${line(finding, say)}`),
      ...(data.more_findings > 0 ? [`and ${data.more_findings} more`] : []),
      keyValues([
        ["Head", data.head === null ? null : `entry ${data.head.id}, ${say.time(data.head.at)}`],
        ["Hash", data.head?.hash],
        ["Signatures", data.signatures === 0 ? null : String(data.signatures)],
        [
          "Chained later",
          data.before_chain === 0
            ? null
            : `${
              count(data.before_chain, "entry", "entries")
            } of an older version: what was changed before that cannot be told`,
        ],
        [
          "Not chained yet",
          data.unchained === 0
            ? null
            : `${count(data.unchained, "entry", "entries")} that an older version wrote since`,
        ],
        [
          "Anchored from",
          data.anchored_from === null || data.anchored_from <= data.before_chain + 1
            ? null
            : `entry ${data.anchored_from}: what was cut off before that cannot be told`,
        ],
      ]),
    ].filter((part) => part !== ""),
  }),
});
