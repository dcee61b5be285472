/**
 * What was tried and what was found, in numbers.
 *
 * @module
 */

/** Something that must not be. */
export interface Finding {
  /** What was done, so that it can be done again. */
  readonly trial: string;
  /** What was wrong, one line each. */
  readonly problems: readonly string[];
}

/** The numbers of a scenario. */
export class Report {
  readonly title: string;
  readonly findings: Finding[] = [];
  readonly #tell: (line: string) => void;
  readonly #counts = new Map<string, number>();

  /** `tell` hears of each finding at once. */
  constructor(title: string, tell: (line: string) => void = () => {}) {
    this.title = title;
    this.#tell = tell;
  }

  /** Counts something by name. */
  count(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  /** How often something was counted. */
  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  /** Notes what a trial found, if anything. */
  note(trial: string, problems: readonly string[]): void {
    this.count("trials");
    if (problems.length === 0) return;
    this.count("trials with findings");
    const finding = { trial, problems };
    this.findings.push(finding);
    for (const line of findingLines(finding)) this.#tell(line);
  }

  /** The numbers as lines. */
  lines(): string[] {
    return [
      this.title,
      ...[...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, n]) =>
        `  ${String(n).padStart(5)}  ${name}`
      ),
    ];
  }
}

/** A finding as lines. */
export function findingLines({ trial, problems }: Finding): string[] {
  return [
    `  ✗ ${trial}`,
    ...problems.slice(0, 12).map((problem) => `      ${problem}`),
    ...(problems.length > 12 ? [`      … and ${problems.length - 12} more`] : []),
  ];
}
