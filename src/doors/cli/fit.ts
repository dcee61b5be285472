/** Fits help pages to the width of a terminal. */

import type { Terminal } from "../../base/system/mod.ts";
import { NARROWEST, wrapText } from "./wrap.ts";

/** A page with lines as long as the terminal is wide, broken between words; as it is where nobody looks. */
export function fit(
  page: string,
  { stdoutIsTerminal, columns }: Pick<Terminal, "stdoutIsTerminal" | "columns">,
): string {
  return stdoutIsTerminal ? wrapText(page, Math.max(columns, 2 * NARROWEST)) : page;
}
