/** `amof journal add`: a dated note in the journal of an ecosystem (WORKSPACE-2). */

import { join } from "@std/path";
import { AmofError } from "../../base/error.ts";
import { mutation } from "../../contract/mod.ts";
import { timestamp } from "../../base/system/mod.ts";
import { cleanLine, stripUnsafe } from "../../base/text/sanitize.ts";

/** Longer file names are refused by some systems. */
const MAX_SLUG = 80;

/** The file name of a note: `<YYYYMMDD_HHMMSS>_<title>.md`; letters and digits of any script stay. */
function noteName(title: string, now: number): string {
  const time = timestamp(now).slice(0, 19).replace(/[-:]/g, "").replace("T", "_");
  const slug = title.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "_").replace(/^_+|_+$/g, "");
  return `${time}_${[...slug].slice(0, MAX_SLUG).join("") || "note"}.md`;
}

function noteText(title: string, body: string, tags: readonly string[], now: number): string {
  return [
    `# ${title}`,
    "",
    `Date: ${timestamp(now)}`,
    "",
    "## Description",
    "",
    body === "" ? title : body,
    "",
    ...(tags.length === 0 ? [] : [`Tags: ${tags.join(", ")}`, ""]),
  ].join("\n");
}

interface NoteData {
  /** Relative to the control repository. */
  readonly file: string;
}

/** `amof journal add`. */
export const addJournal = mutation({
  name: "amof_create_journal",
  path: ["journal", "add"],
  toolset: "ecosystem",
  scope: "ecosystem",
  safety: "safe-write",
  confirm: "none",
  next: ["get_ecosystem_status"],
  title: "Add journal entry",
  summary: "Write a dated note into the ecosystem's journal.",
  positionals: ["title"],
  flags: { tags: "tag" },
  examples: ['journal add "Chose SQLite" --body "Several processes write at once" --tag decision'],
  input: (z) => ({
    title: z.string().min(1).max(200).describe("Its title"),
    body: z.string().max(100_000).default("").describe("Markdown"),
    tags: z.array(z.string().max(60)).default([]).describe("Tags"),
  }),
  undo: {
    irreversible: "the note; delete its file",
  },
  async preview(ctx, input) {
    const directory = `ecosystems/${ctx.ecosystem}/journal`;
    const title = cleanLine(input.title);
    if (title === "") {
      throw new AmofError("invalid_arguments", "Cannot write a note without a title");
    }
    const entries = await ctx.system.files.list(join(ctx.root, directory));
    return {
      facts: { directory, title, tags: input.tags },
      summary: `Would add a note to the journal of ${ctx.ecosystem}.`,
      effects: [`Write "${title}" into ${directory}`],
      current: `The journal has ${
        entries.filter((entry) => entry.name.endsWith(".md")).length
      } notes`,
      alternatives: [`See what is there: amof -e ${ctx.ecosystem} ecosystem describe`],
    };
  },
  async execute(ctx, input, facts) {
    const now = ctx.system.clock.now();
    const tags = input.tags.map((tag) => cleanLine(tag, 60)).filter((tag) => tag !== "");
    const text = noteText(facts.title, stripUnsafe(input.body), tags, now);
    const base = noteName(facts.title, now).replace(/\.md$/, "");
    // Two notes of one second must not overwrite each other.
    for (let turn = 1; turn <= 100; turn++) {
      const file = `${facts.directory}/${base}${turn === 1 ? "" : `-${turn}`}.md`;
      if (await ctx.system.files.lstat(join(ctx.root, file)) !== null) continue;
      await ctx.system.files.create(join(ctx.root, file), text);
      return { data: { file } };
    }
    throw new AmofError("ecosystem_busy", "Cannot find a free name for the note", {
      hint: "Repeat in a moment",
    });
  },
  render: (data: NoteData) => ({ summary: "Wrote the note.", details: data.file }),
});
