/**
 * What an installation writes for each AI host, and where, on each system.
 *
 * @module
 */

import { factsOf } from "../../src/machine/hosts/host.ts";
import {
  documentOf,
  entryOf,
  HOSTS,
  projectFile,
  SERVERS,
  startWords,
  userFile,
} from "../../src/machine/hosts/mod.ts";
import type { System } from "../../src/base/system/mod.ts";

/** A user of each system, with amof where it usually is there. */
const USERS = {
  linux: {
    home: "/home/me",
    variables: { PATH: "/usr/bin" },
    program: "/usr/local/bin/amof",
    root: "/home/me/control",
  },
  darwin: {
    home: "/Users/me",
    variables: { PATH: "/usr/bin" },
    program: "/opt/homebrew/bin/amof",
    root: "/Users/me/control",
  },
  windows: {
    home: "C:\\Users\\me",
    variables: { APPDATA: "C:\\Users\\me\\AppData\\Roaming" },
    program: "C:\\Users\\me\\scoop\\shims\\amof.exe",
    root: "C:\\Users\\me\\control",
  },
} as const;

/** A page for each host: its files and the text of one, for each system. */
export async function hostFiles(): Promise<ReadonlyMap<string, string>> {
  const pages = new Map<string, string>();
  for (const host of HOSTS) {
    const parts: string[] = [];
    for (const [platform, { home, variables, program, root }] of Object.entries(USERS)) {
      const known: Readonly<Record<string, string>> = variables;
      const env = {
        home,
        platform: platform as keyof typeof USERS,
        get: (name: string) => known[name],
        program: "amof",
      };
      const system = {
        env,
        files: { stat: () => Promise.resolve(null), realPath: () => Promise.resolve(null) },
        processes: { self: () => [program] },
      } as unknown as System;
      const words = await startWords(system);
      const entries = SERVERS.map((server) =>
        [server, entryOf(host, server, { words, root, flags: null }, null)] as const
      );
      parts.push(
        `# ${platform}`,
        `user: ${userFile(host, env)}`,
        `project: ${projectFile(host, root, env) ?? "none"}`,
        "",
        await documentOf(host, new Map(entries)),
      );
    }
    pages.set(`hosts/${host}.txt`, [`${factsOf(host).file.syntax}`, "", ...parts].join("\n"));
  }
  return pages;
}
