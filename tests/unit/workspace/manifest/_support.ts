/**
 * Manifests as texts, and what is found in them.
 *
 * @module
 */

import { checkManifest, type ManifestCheck } from "../../../../src/workspace/manifest/manifest.ts";
import type { Problem } from "../../../../src/workspace/manifest/shape.ts";
import { memoryWorld } from "../../../support/memory.ts";

/** Where the manifest of the tests lies. */
export const FILE = "/space/ecosystems/demo/ecosystem.yaml";

/** Checks a manifest. */
export function check(text: string, name = "demo"): Promise<ManifestCheck> {
  const { system } = memoryWorld({ files: { [`/space/ecosystems/${name}/ecosystem.yaml`]: text } });
  return checkManifest(system, "/space", name);
}

/** A manifest with one repository; lines of `repo` go into it, lines of `top` to the end. */
export function manifest(
  { repo = [], top = [] }: { repo?: readonly string[]; top?: readonly string[] },
): string {
  return [
    "name: demo",
    "repos:",
    "  - name: api",
    "    url: https://host/api.git",
    ...(repo.some((line) => line.startsWith("branch:")) ? [] : ["    branch: main"]),
    ...repo.map((line) => `    ${line}`),
    ...top,
    "",
  ].join("\n");
}

/** The places of problems. */
export const places = (problems: readonly Problem[]): Problem["path"][] =>
  problems.map((problem) => problem.path);

/** Files that are wrong as a whole: what, the text, the message. */
export const FILES: readonly (readonly [string, string, RegExp])[] = [
  ["an empty file", "", /^The file is empty$/],
  ["a file of blanks", " \n\n", /^The file is empty$/],
  ["a YAML syntax error", "name: demo\nrepos: [\n", /^Not valid YAML: /],
  [
    "a key that is given twice",
    "name: demo\nname: demo\nrepos: []\n",
    /^Not valid YAML: .*duplicate/i,
  ],
  ["two documents", "name: demo\nrepos: []\n---\nname: demo\n", /^Not valid YAML: /],
  ["an unknown tag", "name: demo\nrepos: !!js/function 'x'\n", /^Not valid YAML: /],
  ["a list", "- name: demo\n", /^The file must hold a mapping$/],
  ["a text", "demo\n", /^The file must hold a mapping$/],
  ["comments only", "# nothing\n", /^The file must hold a mapping$/],
  [
    "a file that is too large",
    `name: demo\nrepos: []\n#${"x".repeat(4 * 1024 * 1024)}`,
    /at most 4194304 are read$/,
  ],
  [
    "aliases that expand without bound",
    [
      "name: demo",
      "repos: []",
      "actors:",
      "  - &a0 [x, x, x, x, x, x, x, x, x, x]",
      ...Array.from(
        { length: 9 },
        (_, n) => `  - &a${n + 1} [${Array(10).fill(`*a${n}`).join(", ")}]`,
      ),
    ].join("\n"),
    /^The file expands to more than 400000 values or 100 levels$/,
  ],
  [
    "an alias that holds itself",
    "name: demo\nrepos: []\nactors: &a [*a]\n",
    /^(?:The file expands|Not valid YAML)/,
  ],
  [
    "nesting without bound",
    `name: demo\nrepos: []\nactors: ${"[".repeat(20_000)}${"]".repeat(20_000)}\n`,
    /^(?:The file expands|Not valid YAML)/,
  ],
];
