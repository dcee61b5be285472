/** `amof audit export`: the audit log as lines of JSON with their hashes (AUDIT-4). */

import { resolve } from "@std/path";
import { program } from "../../../../pipeline/line/program.ts";
import { AmofError, EXIT } from "../../../../base/error.ts";
import type { Store } from "../../../../state/store/mod.ts";
import { moment } from "../../../../commands/audit/audit.ts";
import { cleanLine } from "../../../../base/text/sanitize.ts";
import { count } from "../../../../base/text/words.ts";

const PAGE = 500;

/** What a terminal would obey or not show, which JSON may say otherwise. */
const UNSAFE = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** The pages of lines from behind one entry up to another. */
function* pages(audit: Store["audit"], after: number, last: number): Generator<string[]> {
  for (;;) {
    const page = audit.stored(after, PAGE).filter(({ id }) => id <= last);
    const end = page.at(-1);
    if (end === undefined) return;
    yield page.map((entry) =>
      JSON.stringify(entry.exported).replace(
        UNSAFE,
        (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
      )
    );
    after = end.id;
  }
}

/** `amof audit export`. */
export const auditExport = program({
  path: ["audit", "export"],
  summary: "Print the audit log as lines of JSON with their hashes, oldest first.",
  description:
    "Always of all control repositories, and without a gap, so that `amof audit verify --file FILE` can check it. How many there are and the hash of the last is told on standard error: kept elsewhere, it proves later that nothing was cut off. Values are as they were written, not cleaned for terminals beyond the escapes of JSON.",
  acts: true,
  examples: [
    "audit export --output audit.jsonl",
    "audit export --since 7d",
    "audit export --after 1200",
  ],
  input: (z) => ({
    output: z.string().min(1).optional().describe(
      "A new file for the lines; - for standard output",
    ),
    since: z.string().optional().describe("From then on: 90m, 24h, 7d, or a date in UTC"),
    until: z.string().optional().describe("Before then, written the same way"),
    after: z.int().min(0).optional().describe("Only entries behind the one with this number"),
  }),
  async main({ app }, input) {
    const { system } = app;
    const now = system.clock.now();
    const since = moment("since", input.since, now) ?? null;
    const until = moment("until", input.until, now) ?? null;
    const { audit } = await app.store();
    const none = Number.MAX_SAFE_INTEGER;
    const first = since === null ? 1 : audit.firstSince(since) ?? none;
    const last = until === null ? none : audit.lastBefore(until) ?? 0;
    const after = Math.max(input.after ?? 0, first - 1);
    const output = input.output === "-" ? undefined : input.output;
    let entries = 0;
    let head = "";
    const note = (lines: readonly string[]) => {
      entries += lines.length;
      head = lines.at(-1) ?? head;
    };
    if (output === undefined) {
      for (const lines of pages(audit, after, last)) {
        note(lines);
        system.terminal.out(`${lines.join("\n")}\n`);
      }
    } else {
      const path = resolve(system.env.cwd, output);
      if (await system.files.lstat(path) !== null) {
        throw new AmofError("invalid_arguments", `Cannot export to "${output}": it exists`, {
          hint: "Name a new file: amof audit export --output FILE",
        });
      }
      const texts: string[] = [];
      for (const lines of pages(audit, after, last)) {
        note(lines);
        texts.push(`${lines.join("\n")}\n`);
      }
      await system.files.create(path, texts.join(""), { mode: 0o600 });
    }
    const { id, hash } = head === "" ? {} : JSON.parse(head) as Record<string, unknown>;
    const where = output === undefined ? "" : ` to ${cleanLine(output)}`;
    system.terminal.err(
      `Exported ${count(entries, "entry", "entries")}${where}${
        head === "" ? "" : `; entry ${id} is the last: ${hash}`
      }.\n`,
    );
    return EXIT.ok;
  },
});
