/**
 * `remove`: drops a module from `agentpack.yaml` (PACK-54).
 *
 * @module
 */

import { parseConfig, readConfigText } from "../config/config.ts";
import { removeModule } from "../config/edit.ts";
import { type Act, declare, members } from "../declare/command.ts";
import { argument } from "../declare/option.ts";
import { shownPath } from "../declare/show.ts";
import type { Answer } from "../pack.ts";
import { type ModuleData, moduleData, saveConfig } from "./add.ts";

/** Drops a module; the files of its source stay. Throws `E_CONFIG_INVALID` when there is none. */
async function drop(
  { pack, home }: Act,
  options: { readonly id: string },
): Promise<Answer<ModuleData>> {
  const text = await readConfigText(pack.system.files, home.config);
  await parseConfig(text, home.config);
  await saveConfig(pack, home, await removeModule(text, options.id));
  return { data: moduleData(options.id, home), warnings: [] };
}

/** `remove`. */
export const remove = declare({
  path: ["remove"],
  summary: "Drop a module from agentpack.yaml; the files of its source stay.",
  options: { id: argument({ help: "The module" }) },
  examples: ["remove skill:tidy"],
  changes: { asks: "first" },
  act: drop,
  answers: members<ModuleData>("module_id", "manifest", "manifest_posix"),
  render: ({ data }) => `Removed ${data.module_id} from ${shownPath(data.manifest)}`,
});
