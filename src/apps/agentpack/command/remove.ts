/** `remove`: drops a module from `agentpack.yaml` (PACK-54). */

import { parseConfig, readConfigText } from "../config/config.ts";
import { removeModule } from "../config/edit.ts";
import { argument, declare, type Look, members } from "../declare/command.ts";
import { shownPath } from "../declare/show.ts";
import { type ConfigEdit, editText, makeEdit, type ModuleData, shownEdit } from "./add.ts";

/** What drops a module; the files of its source stay. Throws `E_CONFIG_INVALID` when there is none. */
async function dropped({ pack, home }: Look, id: string): Promise<ConfigEdit> {
  const before = await readConfigText(pack.system.files, home.config);
  await parseConfig(before, home.config);
  const after = await removeModule(before, id);
  await parseConfig(after, home.config);
  return { id, before, after, warnings: [] };
}

/** `remove`. */
export const remove = declare({
  path: ["remove"],
  summary: "Drop a module from agentpack.yaml; the files of its source stay.",
  options: { id: argument({ help: "The module" }) },
  examples: ["remove skill:tidy", "remove skill:tidy --dry-run"],
  changes: { asks: "first" },
  look: async (call, { id }) => shownEdit(call.home, await dropped(call, id)),
  act: async (call, { id }) => await makeEdit(call, await dropped(call, id)),
  answers: members<ModuleData>("module_id", "manifest", "manifest_posix", "dry_run"),
  render: (answer) => {
    const { module_id: id, manifest } = answer.data;
    return editText(
      answer,
      `Removed ${shownPath(id)} from ${shownPath(manifest)}`,
      `Would remove ${shownPath(id)} from ${shownPath(manifest)}:`,
    );
  },
});
