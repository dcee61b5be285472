/** What has changed in a clone, in words. */

import type { Seal, Suspects } from "../../git/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count, few } from "../../base/text/words.ts";

/** What has changed, by name: settings with their file, and other files. Others chose these names. */
export function suspectNames({ keys, files }: Suspects): string[] {
  return [...keys.map(({ key, file }) => `${key} in ${file}`), ...files].map((name) =>
    cleanLine(name, 120)
  );
}

/** What has changed, in words. */
export function suspectsText(names: readonly string[]): string {
  return `what git goes by there has changed: ${few(names, 5)}`;
}

/** What has changed, as a person has to see it: settings with their values, and files with their first lines. */
export function shownSuspects(seal: Seal, suspects: Suspects, lines: number): string[] {
  return [
    ...suspects.keys.flatMap(({ key, values }) =>
      values.map((value) => value === null ? key : `${key} = ${value}`)
    ),
    ...suspects.files.flatMap((file) => {
      const text = seal.parts.find(({ name }) => name === file)?.text ?? "";
      const all = text.replace(/\n$/, "").split("\n");
      const more = all.length - lines;
      return [
        `${file}:`,
        ...all.slice(0, lines).map((line) => `  ${line}`),
        ...(more > 0 ? [`  and ${count(more, "more line")}`] : []),
      ];
    }),
  ];
}
