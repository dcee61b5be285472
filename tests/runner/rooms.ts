/**
 * What is tried thoroughly when a room of `src` has changed: the files that otherwise take a sample and are about it.
 *
 * @module
 */

/** The test files of a room that take a sample, by the folder of `src`. */
export const THOROUGH_OF: Readonly<Record<string, readonly string[]>> = {
  agentpack: ["tests/property/agentpack_test.ts", "tests/unit/agentpack/engine/kill_test.ts"],
  archive: ["tests/faults/removal_test.ts"],
  campaign: ["tests/faults/campaign_test.ts", "tests/scenario/campaign_arrival_test.ts"],
  command: ["tests/scenario/modes_test.ts", "tests/protocol/suggestions_test.ts"],
  ecosystem: ["tests/faults/daily_test.ts", "tests/scenario/selection_test.ts"],
  engine: ["tests/engines/local_test.ts", "tests/engines/limits_test.ts"],
  git: ["tests/scenario/git_settings_test.ts", "tests/property/snapshot_test.ts"],
  release: ["tests/faults/release_test.ts"],
  runs: ["tests/property/runs_test.ts"],
  steps: ["tests/faults/install_and_tickets_test.ts"],
  store: ["tests/property/runs_test.ts", "tests/faults/full_disk_test.ts"],
  suggest: ["tests/protocol/suggestions_test.ts"],
  ticket: [
    "tests/faults/ticket_workspace_test.ts",
    "tests/faults/update_test.ts",
    "tests/property/ticket_test.ts",
    "tests/scenario/ticket_stash_test.ts",
  ],
  undo: ["tests/faults/undo_test.ts", "tests/property/undo_test.ts"],
  workspace: ["tests/faults/removal_test.ts", "tests/property/import_test.ts"],
};

/** More rooms than that are the work of the night: all that takes a sample would take hours. */
const MOST_ROOMS = 3;

/**
 * The files to try thoroughly after a change of these paths: those that take a sample and have changed, and those of
 * the rooms that have. A change of more rooms than `MOST_ROOMS` has only the former.
 */
export function thoroughAfter(
  changed: readonly string[],
  takers: ReadonlySet<string>,
): readonly string[] {
  const rooms = new Set(
    changed.filter((path) => path.startsWith("src/")).map((path) => path.split("/")[1] ?? ""),
  );
  const ofRooms = rooms.size > MOST_ROOMS
    ? []
    : [...rooms].flatMap((room) => THOROUGH_OF[room] ?? []);
  return [...new Set([...changed.filter((path) => takers.has(path)), ...ofRooms])].toSorted();
}
