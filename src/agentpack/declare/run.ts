/**
 * Runs a declared command: what it may see and touch, and the lock of the home around every change (PACK-30).
 *
 * @module
 */

import { withHomeLock } from "../engine/lock.ts";
import { AgentpackError } from "../error.ts";
import { homeOf } from "../identity/home.ts";
import type { Answer, Pack, Selection } from "../pack.ts";
import type { Act, CommandSpec, Look, Person } from "./command.ts";
import type { InputOf, Options } from "./option.ts";

/** Where a call works. */
export interface Place {
  readonly pack: Pack;
  readonly selection: Selection;
}

function lookOf({ pack, selection }: Place): Look {
  return {
    pack,
    selection,
    get home() {
      return homeOf(pack.system.env, selection.repo);
    },
  };
}

/** What a command finds; the world may be read-only. Throws `E_USAGE` for a command that has no dry run. */
export async function look<A extends Answer<object>>(
  command: CommandSpec<Options, A, unknown>,
  place: Place,
  input: InputOf<Options>,
): Promise<A> {
  if (command.look !== undefined) return await command.look(lookOf(place), input);
  const id = command.path.join(" ");
  // It would look like a success and show nothing.
  throw new AgentpackError("E_USAGE", `"${id}" has no dry run`, {
    command: id,
    hint: "Leave out --dry-run; without --yes you are asked before anything is changed",
  });
}

/** Makes a change under the lock of the home; `approve` is asked when it is known what it is. */
export async function act<A extends Answer<object>>(
  command: CommandSpec<Options, A, unknown>,
  place: Place,
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
    if (command.act === undefined) return await look(command, place, input);
    const done = await command.act({ pack, selection, home, held, approve }, input, prepared);
    return { ...done, warnings: [...held.warnings, ...done.warnings] };
  });
  return person === null ? answer : await command.follow?.(person, answer) ?? answer;
}
