/** Records of releases that lie in the control repository and that no commit took: `amof doctor` names and commits them. */

import { join } from "@std/path";
import type { CommandContext, ExecuteContext } from "../../contract/mod.ts";
import { few, list } from "../../base/text/words.ts";
import { commitRecords } from "../release/gates.ts";
import { commitRecord } from "../release/publish.ts";
import { openRecords, RECORD_SUBJECT, recordTag } from "../release/record.ts";
import { CONTROL } from "../release/answer.ts";
import { type Check, found } from "./found.ts";

/** Records that are not committed, as a check. */
export async function checkRecords(ctx: CommandContext): Promise<Check[]> {
  const open = await openRecords(ctx).catch(() => []);
  if (open.length === 0) return [];
  const words = `${few(open, 3)} ${open.length === 1 ? "is" : "are"} not committed`;
  return [found("release records", "warning", words, commitRecords(ctx.root, open))];
}

/** Commits them; what cannot be committed stays, and the log says why. */
export async function keepRecords(ctx: ExecuteContext): Promise<void> {
  const paths = await openRecords(ctx);
  const branch = await ctx.git.at(ctx.root).branches.current();
  if (paths.length === 0 || branch === null) return;
  const files: Record<string, string> = {};
  for (const path of paths) {
    files[path] = await ctx.system.files.readText(join(ctx.root, path)) ?? "";
  }
  const subject = `${RECORD_SUBJECT}${list(paths.map(recordTag))}`;
  await commitRecord(ctx, { repo: CONTROL, directory: ctx.root, branch, files, subject });
}
