/**
 * `remove`: drops a module from `agentpack.yaml` (PACK-54).
 *
 * @module
 */

import { parseConfig, readConfigText } from "../config/config.ts";
import { removeModule } from "../config/edit.ts";
import { declare } from "../declare/command.ts";
import { argument } from "../declare/option.ts";
import { shownPath } from "../declare/show.ts";
import { withHomeLock } from "../engine/lock.ts";
import { homeOf } from "../identity/home.ts";
import type { Answer, Pack, Selection } from "../pack.ts";
import { type ModuleData, moduleData, saveConfig } from "./add.ts";

/** Drops a module; the files of its source stay. Throws `E_CONFIG_INVALID` when there is none. */
export async function remove(
  pack: Pack,
  selection: Selection,
  options: { readonly id: string },
): Promise<Answer<ModuleData>> {
  const home = homeOf(pack.system.env, selection.repo);
  return await withHomeLock(pack.system, home, async (held) => {
    const text = await readConfigText(pack.system.files, home.config);
    await parseConfig(text, home.config);
    await saveConfig(pack, home, await removeModule(text, options.id));
    return { data: moduleData(options.id, home), warnings: held.warnings };
  });
}

/** `remove`. */
export const removeCommand = declare({
  path: ["remove"],
  summary: "Drop a module from agentpack.yaml; the files of its source stay.",
  options: { id: argument({ help: "The module" }) },
  examples: ["remove skill:tidy"],
  changes: () => ({ id: "remove", asks: "first" }),
  run: ({ pack, selection }, input) => remove(pack, selection, input),
  render: ({ data }) => `Removed ${data.module_id} from ${shownPath(data.manifest)}`,
});
