/** Which relative paths may name a place on every machine, whatever its file system. */

import { isInside, tidy } from "./document.ts";

const DEVICE = /^(?:con|prn|aux|nul|com[1-9¹²³]|lpt[1-9¹²³])(?:\.|$)/i;

/** Whether some file system takes a name for `.git`: in any case, with dots or blanks behind, or by its short form. */
export function isGitName(name: string): boolean {
  // Some file systems pass over characters that are not seen.
  const seen = name.replace(/\p{Cf}/gu, "").replace(/[. ]+$/, "").toLowerCase();
  return seen === ".git" || seen === "git~1" || seen.startsWith(".git:");
}

/** What is the matter with one name in a path, or null. */
function nameProblem(name: string): string | null {
  if (name.startsWith("-")) return "begins with a dash, which programs take for an option";
  if (isGitName(name)) return "belongs to git";
  if (/\p{Cf}/u.test(name)) return "holds characters that are not seen";
  if (/[<>:"|?*]/.test(name)) return 'holds one of < > : " | ? *, which Windows does not take';
  if (/[. ]$/.test(name)) return "ends with a dot or a blank, which Windows drops";
  return DEVICE.test(name) ? "is a device to Windows" : null;
}

/** Why a path cannot be a place below a directory, as the end of a sentence about it; null when it can. */
export function placeProblem(path: string): string | null {
  if (/[^\P{Cc}]/u.test(path)) return "it holds a control character";
  if (path.includes("\\")) return "it holds a backslash; write / between directories";
  if (!isInside(path)) return "it leads out of there, or is that directory itself";
  for (const name of tidy(path).split("/")) {
    const problem = nameProblem(name);
    if (problem !== null) return name === tidy(path) ? `it ${problem}` : `"${name}" ${problem}`;
  }
  return null;
}

/** A path as a file system sees it that tells neither case nor ways to write an accent. */
export function placeKey(path: string): string {
  return tidy(path).normalize("NFC").toLowerCase().normalize("NFC");
}
