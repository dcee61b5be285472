/** What `amof` alone shows, on one screen of 24 lines: what to begin with, the commands of a day, where the rest is. */

import { join, relative } from "@std/path";
import type { System } from "../../base/system/mod.ts";
import { shellWord } from "../../base/text/words.ts";
import { ASKS, TITLE, titled } from "./help_page.ts";

/**
 * How far somebody has come.
 *
 * - `nothing`: there is no list of repositories, nor a git repository for it unless `founded`. `clones` is the
 *   way from here to where several lie, `control` to a list beside them.
 * - `listed`: the `ecosystem` has no workspace yet, or one that was archived. Null means that each of several
 *   has none.
 * - `installed`: there is a workspace.
 */
export type Stand =
  | {
    readonly kind: "nothing";
    readonly founded: boolean;
    readonly clones: string | null;
    readonly control: string | null;
  }
  | {
    readonly kind: "listed";
    readonly ecosystem: string | null;
    readonly archived: boolean;
    /** The commands that commit the list, where no commit has it; else none. */
    readonly commit: readonly string[];
  }
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
    case "nothing": {
      const demo = ["amof demo", "See all of it in a sandbox"] as const;
      if (stand.control !== null) {
        return [demo, [`cd ${stand.control}`, "Go to the list that lies here"]];
      }
      const control = shellWord(join(stand.clones ?? "", "control"));
      // As seen from that place.
      const clones = stand.clones === null ? "DIR" : "..";
      return [
        demo,
        ...(stand.founded
          ? []
          : [[`git init ${control} && cd ${control}`, "Make a place for the list"]] as const),
        [`amof ecosystem create NAME --commit --from ${clones}`, "List the clones that you have"],
        [`amof install --adopt ${clones}`, "Use them where they are"],
      ];
    }
    case "listed": {
      const amof = stand.ecosystem === null ? "amof -e NAME" : "amof";
      return [
        ...stand.commit.map((line, at) => [line, at === 0 ? "Add the list" : "Commit it"] as const),
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
  const { findFounded, findRoot, surroundings } = await import("../../commands/ecosystem/root.ts");
  const { ecosystemNames, firstCommit } = await import("../../workspace/manifest/mod.ts");
  const { hasArchive, hasWorkspace } = await import("../../workspace/mod.ts");
  const nothing = async (): Promise<Stand> => {
    const { cwd } = system.env;
    const { directory, inside, clones, controls: [control] } = await surroundings(system, cwd);
    return {
      kind: "nothing",
      founded: inside === "new" || clones < 2 && await findFounded(system, root) !== null,
      clones: clones < 2 ? null : relative(cwd, directory),
      control: control === undefined ? null : shellWord(relative(cwd, join(directory, control))),
    };
  };
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
    const isBegun = await place.git.at(found).refs.resolve("HEAD") !== null;
    return {
      kind: "listed",
      ecosystem: others.length > 0 ? null : only,
      archived: others.length === 0 && await hasArchive(system, found, only),
      commit: isBegun ? [] : firstCommit(only),
    };
  } catch (error) {
    if (!(error instanceof AmofError)) throw error;
    return await nothing();
  }
}
