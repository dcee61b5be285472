/** Shows long output page by page, at a terminal (SETTING-11). */

import { stripAnsiCode } from "@std/fmt/colors";
import { pagerCommand, type Settings } from "../../state/settings/mod.ts";
import type { System, Terminal } from "../../base/system/mod.ts";
import { textWidth } from "../../base/text/width.ts";

/** What was written, in its order. */
interface Written {
  readonly stream: "out" | "err";
  readonly text: string;
}

/** What a shell says of a program that is not there or cannot be run. */
const NOT_STARTED = [126, 127];

/** How many rows of a terminal a text takes. */
export function rowsOf(text: string, columns: number): number {
  return text.replace(/\n$/, "").split("\n")
    .reduce(
      (rows, line) => rows + Math.max(1, Math.ceil(textWidth(stripAnsiCode(line)) / columns)),
      0,
    );
}

/** Gives a text to the pager; false where it could not be started. */
async function paged(system: System, vector: readonly string[], text: string): Promise<boolean> {
  const { env, terminal, processes } = system;
  // Ctrl-C belongs to the pager, also where it ends the pager and is told to this program only afterwards.
  terminal.onInterrupt(() => {});
  const code = await processes.attach(vector, {
    input: text,
    env: { LESS: env.get("LESS") ?? "FRX", LV: env.get("LV") ?? "-c" },
  });
  return code !== null && !NOT_STARTED.includes(code);
}

/**
 * Lets `write` write an answer; what goes to standard output is shown by the pager where it is longer than the
 * terminal, and where there is none or it fails, as it is. The last of several parts, which sums up, stays below.
 * Whoever calls this ends soon: after a pager, interrupts are not listened to any more.
 */
export async function withPager(
  system: System,
  settings: Settings,
  write: (terminal: Terminal) => void,
): Promise<void> {
  const { terminal } = system;
  const vector = terminal.stdoutIsTerminal ? pagerCommand(system.env, settings) : null;
  if (vector === null) return write(terminal);
  const written: Written[] = [];
  const keep = (stream: Written["stream"]) => (text: string) => void written.push({ stream, text });
  // A getter of the terminal must not be read once for all.
  write(Object.create(terminal, { out: { value: keep("out") }, err: { value: keep("err") } }));
  const { columns, rows } = terminal.size();
  const out = written.filter(({ stream }) => stream === "out");
  const tooLong = rowsOf(out.map(({ text }) => text).join(""), columns) >= rows;
  const long = new Set(out.length > 1 ? out.slice(0, -1) : out);
  const text = [...long].map((each) => each.text).join("");
  const shown = tooLong && await paged(system, vector, text);
  for (const each of written) {
    if (!shown || !long.has(each)) terminal[each.stream](each.text);
  }
}
