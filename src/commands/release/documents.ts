/** The changelog section and the README status line of a release, as pure functions of texts (RELEASE-7). */

import { formatVersion, parseVersion, type Version } from "./ladder.ts";

const SECTION = /^## +\[?([^\]\s]+)\]?.*$/;
const UNRELEASED = /^unreleased$/i;

/** A second-level section of a changelog. */
interface Section {
  /** What stands in its heading: a version, "Unreleased", or anything else. */
  readonly name: string;
  /** Line numbers: the heading, and the first line behind the section. */
  readonly start: number;
  readonly end: number;
  /** Whether anything but blank lines and third-level headings stands in it. */
  readonly filled: boolean;
}

function sectionsOf(lines: readonly string[]): Section[] {
  const starts: { name: string; start: number }[] = [];
  let fenced = false;
  lines.forEach((line, start) => {
    if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced;
    const name = fenced ? undefined : SECTION.exec(line)?.[1];
    if (name !== undefined) starts.push({ name, start });
  });
  return starts.map(({ name, start }, index) => {
    const end = starts[index + 1]?.start ?? lines.length;
    const filled = lines.slice(start + 1, end).some((line) =>
      line.trim() !== "" && !/^#{3,} /.test(line) && !/^\[[^\]]+\]: /.test(line)
    );
    return { name, start, end, filled };
  });
}

function sameBase(a: Version, b: Version): boolean {
  return a.major === b.major && a.minor === b.minor && a.patch === b.patch;
}

/**
 * Whether a changelog says something about a version: under its own heading, under "Unreleased", or under the
 * heading of one of its pre-releases.
 */
export function hasEntry(text: string, version: Version): boolean {
  return sectionsOf(text.split("\n")).some((section) => {
    if (!section.filled) return false;
    const named = parseVersion(section.name);
    return UNRELEASED.test(section.name) || (named !== null && sameBase(named, version));
  });
}

/** What a new section says where nobody wrote anything. */
function generated(
  lines: readonly string[],
  version: Version,
  subjects: readonly string[],
): string[] {
  const before = sectionsOf(lines).some((section) => {
    const named = parseVersion(section.name);
    return section.filled && named !== null && sameBase(named, version);
  });
  if (version.stage === "stable" && before) {
    return ["- Changes are listed with the pre-releases of this version below."];
  }
  return subjects.length === 0
    ? ["- No changes since the release before."]
    : subjects.map((subject) => `- ${subject.replace(/([\\`*_[\]<>])/g, "\\$1")}`);
}

/**
 * The changelog with the section of a version: what stands under "Unreleased" goes into it, else a line for each
 * commit subject. A section that is there already gets today's date at most.
 */
export function withSection(
  text: string,
  version: Version,
  date: string,
  subjects: readonly string[],
): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const lines = text.split(/\r?\n/);
  const heading = `## [${formatVersion(version)}] - ${date}`;
  const sections = sectionsOf(lines);
  const own = sections.find((section) => section.name === formatVersion(version));
  if (own !== undefined) {
    return lines.with(own.start, heading).join(eol);
  }
  const unreleased = sections.find((section) => UNRELEASED.test(section.name));
  if (unreleased?.filled) {
    const rest = lines.slice(unreleased.start + 1);
    while (rest[0]?.trim() === "") rest.shift();
    return [...lines.slice(0, unreleased.start + 1), "", heading, "", ...rest].join(eol);
  }
  const first = sections.find((section) => /^v?\d/.test(section.name));
  const at = first?.start ?? unreleased?.end ?? sections[0]?.start ?? lines.length;
  const above = lines.slice(0, at);
  while (above.length > 0 && above[above.length - 1]?.trim() === "") above.pop();
  const below = lines.slice(at);
  while (below.length > 0 && below[0]?.trim() === "") below.shift();
  return [
    ...above,
    ...(above.length === 0 ? [] : [""]),
    heading,
    "",
    ...generated(lines, version, subjects),
    "",
    ...below,
  ].join(eol);
}

const STATUS =
  /^(\*\*Current status:\*\*[ \t]*)v\d+\.\d+\.\d+(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?/m;

/** Whether a README has the line `**Current status:** v…`. */
export function hasStatus(text: string): boolean {
  return STATUS.test(text);
}

/** The README with the version in its line `**Current status:** v…`; the text itself without such a line. */
export function withStatus(text: string, version: Version): string {
  return text.replace(
    STATUS,
    (_, before: string) => `${before}v${formatVersion(version)}`,
  );
}

/** The lines that differ between two texts, each with `-` or `+`, from the first difference to the last. */
export function changedLines(before: string, after: string): string[] {
  const a = before.split(/\r?\n/);
  const b = after.split(/\r?\n/);
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (
    tail < a.length - head && tail < b.length - head &&
    a[a.length - 1 - tail] === b[b.length - 1 - tail]
  ) tail++;
  return [
    ...a.slice(head, a.length - tail).map((line) => `- ${line}`),
    ...b.slice(head, b.length - tail).map((line) => `+ ${line}`),
  ];
}
