/** The files of coding tools that hold entries of ours beside what others wrote, one by one (PACK-62). */

import type { TargetName } from "../names.ts";
import { SERVER_FILES, type SharedFile } from "../../../state/entries/types.ts";

/** Which files of a tool are shared, by what is in them. */
export const SHARED_FILES = {
  claude_code: {
    servers: SERVER_FILES["claude-code"],
    // code.claude.com/docs/en/hooks: the settings of a project and of a user hold hooks alike.
    hooks: { file: "settings.json", syntax: "json", table: null, lists: true },
  },
  cursor: {
    servers: SERVER_FILES.cursor,
    // cursor.com/docs/agent/hooks: the file says which version of its form it has.
    hooks: { file: "hooks.json", syntax: "json", table: null, lists: true, seed: { version: 1 } },
  },
  vscode: { servers: SERVER_FILES.vscode },
  codex: {
    servers: SERVER_FILES.codex,
    hooks: { file: "hooks.json", syntax: "json", table: null, lists: true },
  },
  // geminicli.com/docs/hooks/reference: hooks stand in the settings, too.
  gemini: { servers: { ...SERVER_FILES.gemini, lists: true } },
  windsurf: { servers: SERVER_FILES.windsurf },
} as const satisfies Partial<Record<TargetName, Readonly<Record<string, SharedFile>>>>;

/** The shared files of a tool; none where it has none. */
export function sharedFilesOf(target: TargetName): readonly SharedFile[] {
  return target in SHARED_FILES
    ? Object.values(SHARED_FILES[target as keyof typeof SHARED_FILES])
    : [];
}

/** The shared file of a tool with a name, or null. */
export function sharedFileAt(target: TargetName, file: string): SharedFile | null {
  return sharedFilesOf(target).find((shared) => shared.file === file) ?? null;
}
