/** Runs a declared command: what it may see and touch, and the lock of the home around every change (PACK-30). */

import { journalPath, unfinished, withHomeLock } from "../engine/journal.ts";
import { AgentpackError } from "../error.ts";
import { safePoint } from "../interrupt.ts";
import { homeOf } from "../identity.ts";
import type { Answer, Pack, Selection } from "../pack.ts";
import type { Act, CommandSpec, InputOf, Look, Options, Person } from "./command.ts";

/** Where a call works. */
export interface PackContext {
  readonly pack: Pack;
  readonly selection: Selection;
}

/** What a command that looks gets. */
export function lookOf({ pack, selection }: PackContext): Look {
  return {
    pack,
    selection,
    get home() {
      return homeOf(pack.system.env, selection.repo);
    },
  };
}

/** What a look cannot repair and must say first; a home that cannot be found is for the command to complain of. */
async function warningsBefore(place: PackContext): Promise<readonly string[]> {
  try {
    return await unfinished(place.pack.system.files, lookOf(place).home);
  } catch (error) {
    return error instanceof AgentpackError && error.code === "E_UNEXPECTED" ? [error.message] : [];
  }
}

/**
 * Finishes or takes back what an earlier change left behind, so that a person is shown what a command will really do.
 * Answers what was done, as warnings.
 */
export async function settle({ pack, selection }: PackContext): Promise<readonly string[]> {
  const home = homeOf(pack.system.env, selection.repo);
  if (await pack.system.files.lstat(journalPath(home)) === null) return [];
  try {
    return await withHomeLock(pack.system, home, ({ warnings }) => Promise.resolve(warnings));
  } catch (error) {
    // Another process is at it, and the change itself will say so.
    if (error instanceof AgentpackError && error.code === "E_LOCK_HELD") return [];
    throw error;
  }
}

/** What a command finds; the world may be read-only. Throws `E_USAGE` for a command that has no dry run. */
export async function inspect<A extends Answer<object>>(
  command: CommandSpec<Options, A, unknown>,
  place: PackContext,
  input: InputOf<Options>,
): Promise<A> {
  if (command.look !== undefined) {
    const before = await warningsBefore(place);
    const found = await command.look(lookOf(place), input);
    // A result from an interrupted call may be wrong: some checks ignore files that cannot be read.
    await safePoint(place.pack.system.files);
    return before.length === 0 ? found : { ...found, warnings: [...before, ...found.warnings] };
  }
  const id = command.path.join(" ");
  // It would look like a success and show nothing.
  throw new AgentpackError("E_USAGE", `"${id}" has no dry run`, {
    command: id,
    hint: "Leave out --dry-run: without --yes you are asked before anything is changed",
  });
}

/** Makes a change under the lock of the home; `approve` is asked when it is known what it is. */
export async function act<A extends Answer<object>>(
  command: CommandSpec<Options, A, unknown>,
  place: PackContext,
  input: InputOf<Options>,
  { approve, person = null }: {
    readonly approve: Act["approve"];
    readonly person?: Person | null | undefined;
  },
): Promise<A> {
  const { pack, selection } = place;
  const { home } = lookOf(place);
  // Before the lock, which is a file and must not be held while somebody types.
  const prepared = await command.prepare?.({ pack, selection, home, person }, input);
  const answer = await withHomeLock(pack.system, home, async (held): Promise<A> => {
    if (command.act === undefined) return await inspect(command, place, input);
    const done = await command.act(
      {
        pack,
        selection,
        home,
        held,
        async approve(facts) {
          await safePoint(pack.system.files);
          await approve(facts);
        },
      },
      input,
      prepared,
    );
    return { ...done, warnings: [...held.warnings, ...done.warnings] };
  });
  return person === null ? answer : await command.follow?.(person, answer) ?? answer;
}
