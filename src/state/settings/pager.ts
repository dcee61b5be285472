/** Which pager and which editor a person gets (SETTING-6, SETTING-11). */

import type { Environment, System } from "../../base/system/mod.ts";
import { splitWords } from "../../base/text/shells.ts";
import type { Settings } from "./load.ts";

/**
 * The argument vector of the editor, behind which the files or directories to open are put; null where there is none.
 *
 * In order: `AMOF_EDITOR`, the setting `editor`, and what git would open from the working directory: `GIT_EDITOR`,
 * `core.editor`, `VISUAL`, `EDITOR`, at a terminal vi. A shell reads what people wrote there, as git lets it.
 */
export async function editorCommand(
  system: System,
  settings: Pick<Settings, "editor">,
): Promise<readonly string[] | null> {
  const { env } = system;
  const editor = settings.editor ?? await gitEditor(system);
  if (editor === null) return null;
  return env.platform === "windows"
    ? editor.split(/\s+/).filter((word) => word !== "")
    : ["sh", "-c", `${editor} "$@"`, editor];
}

/** The editor that git would start; null where it would start none, or one that nobody named where no terminal is. */
async function gitEditor(system: System): Promise<string | null> {
  const { env, terminal } = system;
  const set = (name: string) => env.get(name)?.trim() || null;
  const dumb = ["", "dumb"].includes(env.get("TERM") ?? "");
  // `vi` is used only at a real terminal: elsewhere it would wait for keys that never come.
  const usual = dumb || !terminal.stdinIsTerminal || !terminal.stdoutIsTerminal ? null : "vi";
  const configured = async () => {
    const { Git } = await import("../../git/mod.ts");
    return await new Git(system).at(env.cwd).configured("core.editor");
  };
  return set("GIT_EDITOR") ?? await configured() ?? (dumb ? null : set("VISUAL")) ??
    set("EDITOR") ?? usual;
}

/** Ways to say that there shall be none. */
const NONE = ["", "off", "cat"];

/**
 * The argument vector of the pager, started without a shell; null where there shall be none.
 *
 * In order: `AMOF_PAGER`, the setting `pager`, `PAGER`, less. A terminal that cannot move its cursor has none.
 */
export function pagerCommand(
  env: Environment,
  { pager }: Pick<Settings, "pager">,
): readonly string[] | null {
  if (env.get("AMOF_PAGER") === "" || ["", "dumb"].includes(env.get("TERM") ?? "")) return null;
  const named = pager ?? env.get("PAGER");
  if (named === undefined) return ["less", "-FRX"];
  if (NONE.includes(named.trim())) return null;
  const words = splitWords(named);
  return words === null || words.length === 0 ? null : words;
}
