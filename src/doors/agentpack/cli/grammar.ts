/** The command line of agentpack as completion sees it. */

import type { Option } from "../../../apps/agentpack/mod.ts";
import { DOOR_COMMANDS } from "./help.ts";
import { flagsOf, openOptions, PACK_ENTRIES, PACK_FLAGS } from "./parse.ts";
import { globalSlot, type Grammar, type Slot } from "../../../pipeline/line/grammar.ts";

function slots(id: string, option: Option): Slot[] {
  const more = { choices: option.choices, repeats: option.kind === "list" };
  if (option.positional) return [{ name: id, value: "TEXT", help: option.help, ...more }];
  return flagsOf(id, option).map((flag) => ({ ...flag, ...more, commas: more.repeats }));
}

/** The command line of agentpack. */
export const PACK_GRAMMAR: Grammar = {
  entries: [
    ...PACK_ENTRIES.map(({ path, command }) => ({ path, summary: command.summary })),
    ...DOOR_COMMANDS,
  ],
  flags: PACK_FLAGS.map(globalSlot),
  own(words) {
    const named = ({ path }: { readonly path: readonly string[] }) =>
      path.join(" ") === words.join(" ");
    const entry = PACK_ENTRIES.find(named);
    const open = entry === undefined ? [] : openOptions(entry);
    const of = (positional: boolean) =>
      open.filter(([, option]) => option.positional === positional)
        .flatMap(([id, option]) => slots(id, option));
    return Promise.resolve({
      flags: [...of(false), ...DOOR_COMMANDS.find(named)?.flags ?? []],
      positionals: of(true),
    });
  },
};
