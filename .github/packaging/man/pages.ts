/**
 * The manual pages: one for each command, made of what its help says, and an overview.
 *
 * @module
 */

import type { FlagSpec } from "../../../src/pipeline/line/flags.ts";
import type { HelpPage } from "../../../src/doors/cli/help_page.ts";
import { list, literal, text, typed, words } from "./mdoc.ts";

/** A page: its name without a section, and its source. */
export interface ManualPage {
  readonly name: string;
  readonly source: string;
}

/** What all pages of a release have in common. */
export interface Release {
  readonly version: string;
  /** The day of the release, in UTC. */
  readonly date: Date;
}

/** A command as a row of the overview. */
export interface OverviewRow {
  readonly path: readonly string[];
  readonly summary: string;
}

/** What the overview says. */
export interface Overview {
  /** `amof` or `agentpack`. */
  readonly program: string;
  readonly summary: string;
  readonly description: string;
  readonly sections: readonly (readonly [title: string, rows: readonly OverviewRow[]])[];
  readonly flags: readonly FlagSpec[];
  readonly exitCodes: readonly (readonly [code: string, meaning: string])[];
  readonly environment: readonly (readonly [name: string, meaning: string])[];
  readonly examples: readonly string[];
}

const MONTHS =
  "January February March April May June July August September October November December"
    .split(" ");

/** The name of the page of a command. */
export function manualName(prefix: string, path: readonly string[]): string {
  return [...prefix.split(" "), ...path].join("-");
}

function header(title: string, { version, date }: Release): string[] {
  return [
    `.Dd ${MONTHS[date.getUTCMonth()] ?? ""} ${date.getUTCDate()}, ${date.getUTCFullYear()}`,
    `.Dt ${title.toUpperCase()} 1`,
    `.Os amof ${version}`,
  ];
}

/** A sentence as the line of a page's name has it. */
function nameLine(summary: string): string {
  const plain = summary.replace(/\.$/, "");
  return words(/^[A-Z][a-z]/.test(plain) ? plain[0]?.toLowerCase() + plain.slice(1) : plain);
}

/** The spellings of a flag with its value. */
function spelled(flag: FlagSpec): string {
  const short = flag.short === undefined ? "" : `Fl ${typed(flag.short)} | `;
  const value = flag.value === undefined ? "" : ` Ar ${words(flag.value)}`;
  const optional = flag.optional === undefined ? "" : ` Ns Oo = Ns Ar ${words(flag.optional)} Oc`;
  return `${short}Fl ${typed(`-${flag.name}`)}${value}${optional}`;
}

/** A flag in a list, with its short form before a comma. */
function flagHead(flag: FlagSpec): string {
  return `.It ${spelled(flag).replace(" | ", " , ")}`;
}

function flagList(flags: readonly FlagSpec[]): string[] {
  return list(flags.map((flag) => [flagHead(flag), flag.help]));
}

function synopsis(page: HelpPage): string[] {
  const [program = "amof"] = page.prefix.split(" ");
  const line = [page.prefix, ...page.words].join(" ").slice(program.length).trim();
  const said = line.split(" ").filter((word) => word !== "").map((word) => {
    const optional = /^\[(.*)\]$/.exec(word)?.[1];
    if (optional !== undefined) return `.Op Ar ${words(optional)}`;
    return /^[A-Z]/.test(word) ? `.Ar ${words(word)}` : `.Cm ${typed(word)}`;
  });
  return [
    ".Sh SYNOPSIS",
    `.Nm ${program}`,
    ...said,
    ...page.flags.map((flag) => `.Op ${spelled(flag)}`),
    ...(page.behind === undefined
      ? []
      : [`.Fl \\- Ar ${words(page.behind.replace(/[[\]]/g, ""))}`]),
  ];
}

function titled(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`.Sh ${title}`, ...lines];
}

/** Texts as paragraphs. */
function paragraphs(...said: readonly (string | undefined)[]): string[] {
  return said.filter((each) => each !== undefined && each !== "")
    .flatMap((each, index) => [...index === 0 ? [] : [".Pp"], ...text(each ?? "")]);
}

/** Which tools of the MCP server a command is. */
function toolLines(tools: readonly string[]): string[] {
  if (tools.length === 0) return [];
  return [
    ".Pp",
    tools.length === 1 ? "Over MCP it is the tool" : "Over MCP it is the tools",
    ...tools.map((tool, at) => `.Li ${typed(tool)} ${at === tools.length - 1 ? "." : ","}`),
  ];
}

/** The page of one command. */
export function commandManual(
  page: HelpPage,
  path: readonly string[],
  release: Release,
): ManualPage {
  const name = manualName(page.prefix, path);
  const [program = "amof"] = page.prefix.split(" ");
  const source = [
    ...header(name, release),
    ".Sh NAME",
    `.Nm ${typed(name)}`,
    `.Nd ${nameLine(page.summary)}`,
    ...synopsis(page),
    ...titled("DESCRIPTION", [
      ...paragraphs(page.summary, page.description),
      ...list(page.positionals.map(([word = "", help = ""]) => [`.It Ar ${words(word)}`, help])),
      ...flagList(page.flags),
      ".Pp",
      "Flags of all commands are in",
      `.Xr ${program} 1 .`,
      ...toolLines(page.tools),
    ]),
    ".Sh EXIT STATUS",
    "See",
    `.Xr ${program} 1 .`,
    ...titled(
      "EXAMPLES",
      page.examples.length === 0
        ? []
        : literal(page.examples.map((example) => `$ ${page.prefix} ${example}`)),
    ),
    ".Sh SEE ALSO",
    `.Xr ${program} 1`,
    "",
  ];
  return { name, source: source.join("\n") };
}

/** The overview. */
export function overviewManual(overview: Overview, release: Release): ManualPage {
  const { program } = overview;
  const source = [
    ...header(program, release),
    ".Sh NAME",
    `.Nm ${program}`,
    `.Nd ${nameLine(overview.summary)}`,
    ".Sh SYNOPSIS",
    `.Nm ${program}`,
    ".Op Ar flags",
    ".Ar command",
    ".Op Ar arguments",
    ".Sh DESCRIPTION",
    ...text(overview.description),
    ...overview.sections.filter(([, rows]) => rows.length > 0).flatMap(([title, rows]) => [
      `.Ss ${words(title)}`,
      ...list(rows.map(({ path, summary }) => [
        `.It Xr ${typed(manualName(program, path))} 1`,
        summary,
      ])),
    ]),
    ".Ss Flags for all commands",
    ...flagList(overview.flags),
    ...titled(
      "ENVIRONMENT",
      list(overview.environment.map(([name, meaning]) => [`.It Ev ${words(name)}`, meaning])),
    ),
    ".Sh EXIT STATUS",
    ...list(overview.exitCodes.map(([code, meaning]) => [`.It Li ${code}`, meaning])),
    ...titled("EXAMPLES", literal(overview.examples.map((example) => `$ ${program} ${example}`))),
    "",
  ];
  return { name: program, source: source.join("\n") };
}
