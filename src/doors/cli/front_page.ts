/** What `amof` alone shows, on one screen of 24 lines: what to begin with, the commands of a day, where the rest is. */

import type { System } from "../../base/system/mod.ts";
import { ASKS, TITLE, titled } from "./help_page.ts";

/**
 * How far somebody has come: there is no list of repositories, nor a git repository for it unless `founded`, the one of
 * `ecosystem` has no workspace yet (null: each of several has none) or one that was put away, or there is a workspace.
 */
export type Stand =
  | { readonly kind: "nothing"; readonly founded: boolean }
  | { readonly kind: "listed"; readonly ecosystem: string | null; readonly archived: boolean }
  | { readonly kind: "installed" };

/** What people call most, in the order of a day, with what each is for. */
const EVERY_DAY: readonly (readonly [string, string])[] = [
  ["amof status", "How every repository stands"],
  ["amof sync", "Take in what colleagues did; nothing is merged"],
  ["amof log", "What they did, as one list"],
  ["amof ticket start ID", "One branch in all repositories"],
  ["amof grep PATTERN", "Where it is, in all of them"],
  ["amof exec -- PROGRAM", "Any program in each"],
  ["amof diff", "What is not committed yet"],
  ["amof commit", "Shows the files, then asks"],
  ["amof push", "Shows the commits, then asks"],
  ["amof ticket end ID", "Back to the base branches, once it is merged"],
];

/** What comes first where somebody has come so far. */
function toBegin(stand: Stand): readonly (readonly [string, string])[] {
  switch (stand.kind) {
    case "nothing":
      return [
        ["amof demo", "See all of it in a sandbox"],
        ...(stand.founded
          ? []
          : [["git init control && cd control", "Make a place for the list"]] as const),
        ["amof ecosystem create NAME --from DIR", "List the clones that you have"],
        ["amof install --adopt DIR", "Use them where they are"],
      ];
    case "listed": {
      const amof = stand.ecosystem === null ? "amof -e NAME" : "amof";
      return [
        ...(stand.archived
          ? [[`${amof} archive restore`, "Bring the workspace back that was put away"]] as const
          : []),
        [`${amof} install`, "Clone the repositories of the list"],
        [`${amof} install --adopt DIR`, "Or use the clones that you have"],
      ];
    }
    case "installed":
      return [];
  }
}

/** The page. */
export function frontPage(stand: Stand): string {
  return [
    TITLE,
    ...ASKS,
    ...titled("To begin", toBegin(stand)),
    ...titled("Every day", EVERY_DAY),
    "",
    // deno-lint-ignore hints/one-command -- the foot of the page, which is read
    "All commands: amof help; one of them: amof COMMAND --help",
    "",
  ].join("\n");
}

/** How far somebody has come who stands here; whatever cannot be read counts as not there. */
export async function standOf(system: System, root: string | null): Promise<Stand> {
  const { AmofError } = await import("../../base/error.ts");
  const { Git } = await import("../../git/mod.ts");
  const { loadSettings } = await import("../../state/settings/mod.ts");
  const { ecosystemNames, findFounded, findRoot, hasArchive, hasWorkspace } = await import(
    "../../workspace/mod.ts"
  );
  const nothing = async (): Promise<Stand> => ({
    kind: "nothing",
    founded: await findFounded(system, root) !== null,
  });
  try {
    const settings = await loadSettings(system, { lenient: true });
    const found = await findRoot(system, root, settings.root);
    const names = await ecosystemNames(system, found);
    if (names.length === 0) return await nothing();
    const place = { system, root: found, git: new Git(system) };
    for (const name of names) {
      if (await hasWorkspace(place, name) === true) return { kind: "installed" };
    }
    const [only = "", ...others] = names;
    return others.length > 0
      ? { kind: "listed", ecosystem: null, archived: false }
      : { kind: "listed", ecosystem: only, archived: await hasArchive(system, found, only) };
  } catch (error) {
    if (!(error instanceof AmofError)) throw error;
    return await nothing();
  }
}
