/** Keeps the workspace's files out of the control repository's status without touching its tracked files. */

import { join } from "@std/path";
import type { Git } from "../git/mod.ts";
import { operation } from "../runs/steps/mod.ts";
import type { JournalStep } from "../state/store/mod.ts";
import type { System } from "../base/system/mod.ts";
import type { Manifest } from "./manifest/manifest.ts";

/** What a control repository must not track (WORKSPACE-2), anchored so that nothing else is hidden. */
function patterns(manifest: Manifest): string[] {
  // With a slash at its end a pattern does not hide a link, which an adopted clone is.
  const firsts = manifest.repos.flatMap(({ path }) =>
    path.includes("/") ? [`/${path.split("/")[0] ?? ""}/`] : [`/${path}/`, `/${path}`]
  );
  return [
    ...new Set([
      `/${manifest.workspaceDir}/`,
      "/repos/",
      ...firsts,
      "/context/",
      "/.amof/",
      "/amof.*.code-workspace",
    ]),
  ];
}

/** What hides the workspaces of tickets, those that are being made and removed too (TICKET-11). */
function ticketPatterns({ workspaceDir }: Pick<Manifest, "workspaceDir">): string[] {
  const at = workspaceDir.lastIndexOf("/") + 1;
  const [above, name] = [workspaceDir.slice(0, at), workspaceDir.slice(at)];
  return [`/${above}${name}@*/`, `/${above}.${name}@*/`];
}

async function excludeFile(git: Git, root: string): Promise<string | null> {
  const common = await git.at(root).commonDirectory();
  return common === null ? null : join(common, "info", "exclude");
}

function withLines(text: string | null, lines: readonly string[]): string {
  const kept = text ?? "";
  const there = new Set(kept.split(/\r?\n/));
  const missing = lines.filter((line) => !there.has(line));
  if (missing.length === 0) return kept;
  return `${kept}${kept === "" || kept.endsWith("\n") ? "" : "\n"}${missing.join("\n")}\n`;
}

/**
 * Hides a workspace from the status of the control repository. All ecosystems write into the same file: each adds its
 * own lines to what is there by then. `keep` names the workspace, which stays hidden while it holds anything.
 */
export const hideWorkspace = operation<
  {
    readonly root: string;
    readonly file: string;
    readonly before: string | null;
    readonly lines: readonly string[];
    readonly keep: string;
  }
>({
  name: "hide_workspace",
  touches: ({ root }) => [root],
  describe: () => "Keep workspace files out of the control repository's status",
  async act(ctx, { root, file, lines }) {
    await ctx.git.at(root).inTurn(async () => {
      const now = await ctx.system.files.readText(file);
      const after = withLines(now, lines);
      if (after !== now) await ctx.system.files.write(file, after);
    });
  },
  async undo(ctx, { root, file, before, lines, keep }) {
    const { files } = ctx.system;
    await ctx.git.at(root).inTurn(async () => {
      if ((await files.list(keep)).length > 0) return;
      // A file that others have changed meanwhile stays as it is.
      if (await files.readText(file) !== withLines(before, lines)) return;
      if (before === null) await files.remove(file);
      else await files.write(file, before);
    });
  },
});

/** The change to `info/exclude`, which all worktrees share, that hides a workspace; null when nothing is missing. */
export async function planIgnore(
  system: System,
  git: Git,
  root: string,
  manifest: Manifest,
): Promise<{ file: string; before: string | null; lines: readonly string[] } | null> {
  const file = await excludeFile(git, root);
  if (file === null) return null;
  const before = await system.files.readText(file);
  const lines = [...patterns(manifest), ...ticketPatterns(manifest)];
  return withLines(before, lines) === (before ?? "") ? null : { file, before, lines };
}

/**
 * The step that hides the workspaces of tickets from the status of the control repository, where nothing does so yet.
 * It is not taken back: other tickets may rely on it by then, and by itself it hides nothing.
 */
export async function hideTickets(
  { system, git, root }: { readonly system: System; readonly git: Git; readonly root: string },
  manifest: Manifest,
): Promise<JournalStep[]> {
  const file = await excludeFile(git, root);
  const lines = ticketPatterns(manifest);
  const before = file === null ? null : await system.files.readText(file);
  if (file === null || withLines(before, lines) === (before ?? "")) return [];
  return [hideWorkspace.step({ root, file, before, lines, keep: root })];
}
