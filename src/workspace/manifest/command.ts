/** The commands that name a repository in a manifest, and that name its base branch anew. */

import { shellWord } from "../../base/text/words.ts";

/** `amof repo add` for what a manifest says of a repository, or is to say. */
export function addCommand(
  { name, url, branch = null, path = null, tags = [], dependsOn = [], readonly = false }: {
    readonly name: string;
    readonly url: string;
    /** Null for the one that its remote names. */
    readonly branch?: string | null;
    /** Null for the usual place. */
    readonly path?: string | null;
    readonly tags?: readonly string[];
    readonly dependsOn?: readonly string[];
    readonly readonly?: boolean;
  },
): string {
  const all: readonly (readonly [flag: string, value: string | null])[] = [
    ["branch", branch],
    ["path", path === `repos/${name}` ? null : path],
    ...tags.map((tag) => ["tag", tag] as const),
    ...dependsOn.map((one) => ["depends-on", one] as const),
  ];
  const flags = all.map(([flag, value]) => value === null ? "" : ` --${flag} ${shellWord(value)}`);
  return `amof repo add ${shellWord(name)} ${shellWord(url)}${flags.join("")}${
    readonly ? " --readonly" : ""
  }`;
}

/** `amof repo rename` for a base branch that its remote calls otherwise now; `BRANCH` for one that only a person knows. */
export function rebaseCommand(name: string, branch: string | null): string {
  return `amof repo rename ${shellWord(name)} --branch ${
    branch === null ? "BRANCH" : shellWord(branch)
  }`;
}
