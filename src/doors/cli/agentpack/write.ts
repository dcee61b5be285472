/** Writes an answer of agentpack for a person or as JSON. */

import { dim, red, yellow } from "@std/fmt/colors";
import { type AgentpackError, warningsForPeople } from "../../../apps/agentpack/mod.ts";
import type { Carried } from "../../../pipeline/agentpack/carry_out.ts";
import { AmofError } from "../../../base/error.ts";
import type { Terminal } from "../../../base/system/mod.ts";
import { markHidden } from "../../../base/text/hidden.ts";
import { cleanLine, stripUnsafe } from "../../../base/text/sanitize.ts";
import { Table } from "../../../base/text/table.ts";
import { layOutParts, outputWidth } from "../layout.ts";
import { writeError } from "../colors.ts";
import { PACK_ENTRIES } from "./parse.ts";

/** Where a command is named: at the end of "do this:", or behind a word that leads to it. */
const LEADS = "(?<=: |\\(|; |\\b(?:run|repeat|with|see) )";

/** Commands whose words people also use for other things; they stand behind a colon, and before an option or the end. */
const COMMON = ["status", "plan", "diff", "sync", "record", "remove", "add", "schema", "help"];

function patternOf(): RegExp {
  const paths = PACK_ENTRIES.map(({ path }) => path.join(" "));
  const words = (list: readonly string[]) =>
    [...list].sort((a, b) => b.length - a.length).join("|");
  const clear = words(paths.filter((path) => !COMMON.includes(path)));
  const common = words(paths.filter((path) => COMMON.includes(path)));
  return new RegExp(`${LEADS}(?:${clear})(?=$|[ ,;.)])|(?<=: )(?:${common})(?=$| -|[,;.])`, "g");
}

let pattern: RegExp | null = null;

/** A text in which each command of agentpack begins with the words that call it. */
export function pasteable(text: string, prefix: string): string {
  pattern ??= patternOf();
  return text.replace(pattern, (command) => `${prefix} ${command}`);
}

/** What to do about a failure that says nothing better itself. */
const WAYS_ON: Partial<Record<AgentpackError["code"], string>> = {
  E_ADOPT_CONFIRM_REQUIRED:
    "Look at these files; repeat with --adopt to overwrite them, which a rollback takes back",
  E_CONFIG_INVALID: "Correct that in agentpack.yaml, or the file that is named, then repeat",
  E_CONFIG_UNSUPPORTED_VERSION: "Use a newer agentpack, or write the file for a version it reads",
  E_DESIRED_STATE_CONFLICT: "Change one of these modules, or leave one of them out",
  E_LOCKFILE_INVALID: "Write it again with lock",
  E_POLICY_CONFIG_INVALID: "Correct the file, then repeat",
  E_POLICY_CONFIG_UNSUPPORTED_VERSION:
    "Use a newer agentpack, or write the file for a version it reads",
  E_POLICY_VIOLATIONS: "Correct what is named, then repeat: policy lint",
  E_SNAPSHOT_INVALID: "Choose another snapshot: snapshots list",
  E_USAGE: "See what the command takes with --help",
};
const REPEAT = "Correct the cause, then repeat the command";

/** The texts of a list in the details of a failure. */
function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function explained({ code, message, details, cause }: AgentpackError, prefix: string): string {
  const available = texts(details?.["available"]);
  const hint = details?.["hint"] ?? (cause instanceof AmofError ? cause.hint : undefined) ??
    WAYS_ON[code] ?? (code === "E_CONFIRM_REQUIRED" ? undefined : REPEAT);
  // Names that the hint contains are not repeated.
  const said = typeof hint === "string" && available.every((word) => hint.includes(word));
  const paths = [...texts(details?.["sample_paths"]), ...said ? [] : available];
  return [
    `${red("error:")} ${stripUnsafe(message)}`,
    ...paths.map((path) => `  ${cleanLine(path, 1000)}`),
    ...(typeof hint === "string"
      ? [
        `${yellow("hint:")} ${pasteable(stripUnsafe(hint), prefix)}`,
      ]
      : []),
    "",
  ].join("\n");
}

/** Writes an answer: what was asked for on standard output, everything else on standard error. */
export function writeCarried(
  terminal: Terminal,
  carried: Carried,
  { json, prefix }: { readonly json: boolean; readonly prefix: string },
): void {
  const { envelope, error } = carried;
  if (json) {
    terminal.out(`${JSON.stringify(envelope)}\n`);
    return;
  }
  for (const warning of warningsForPeople(envelope.warnings, prefix)) {
    writeError(terminal, `${yellow("warning:")} ${dim(markHidden(pasteable(warning, prefix)))}\n`);
  }
  const text = carried.text();
  if (error === null) {
    const shown = text instanceof Table ? layOutParts([text], outputWidth(terminal)) : text;
    terminal.out(`${shown ?? ""}\n`);
    return;
  }
  // The question that nobody could be asked, so that the refusal can be understood.
  if (text !== null) writeError(terminal, `${text}\n\n`);
  writeError(terminal, explained(error, prefix));
}
