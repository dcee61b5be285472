/** How a command over many repositories ended: what is answered where some did their work and others did not. */

import { AmofError, type ErrorCode } from "../base/error.ts";
import { MANY } from "../base/text/table.ts";
import { count, list, remediesOf } from "../base/text/words.ts";

/** How the whole ended: `partial` where some repositories did their work and others did not. */
export type Outcome = "success" | "partial" | "failed";

/** What came of one repository. */
export interface RepoRow {
  readonly name: string;
  readonly result: string;
  readonly detail: string;
  /** Set where the work was not done, although it should have been. */
  readonly code: ErrorCode | null;
  /** What would let it be done, or null. */
  readonly fix: string | null;
}

const VERBS: Readonly<Record<string, string>> = { failed: "failed", conflict: "stopped" };

/** What went wrong: of one repository by its name, of more how many they are, and the first of them. */
function wrong<R extends RepoRow>(first: R, bad: readonly R[]): string {
  const verb = ({ result }: R, plural: boolean) =>
    VERBS[result] ?? (plural ? "were held back" : "was held back");
  if (bad.length === 1) return `"${first.name}" ${verb(first, false)}: ${first.detail}`;
  const verbs = list([...new Set(bad.map((row) => verb(row, true)))], "or");
  return `${count(bad.length, "repo")} ${verbs}, first "${first.name}": ${first.detail}`;
}

/** What the whole is called where rows went wrong, and what the failure tells of each of them. */
interface OutcomeWords<R extends RepoRow> {
  /** How many repositories did their work. */
  readonly done: number;
  /** `Pushed 2 of 3 repos;`, given how many of how many did their work; what went wrong first stands behind it. */
  readonly head: (done: number, of: number) => string;
  /** Instead of what each of them needs. */
  readonly hint?: string | undefined;
  /** Whether the rows are all repositories that there are. */
  readonly isWhole?: boolean;
  /** Members of the rows that went wrong. */
  readonly told: readonly (keyof R)[];
}

/** How the whole ended; with a failure where a row has a code. */
export function outcomeOf<R extends RepoRow>(
  rows: readonly R[],
  { done, head, hint, isWhole = false, told }: OutcomeWords<R>,
): { readonly outcome: Outcome; readonly failure?: AmofError } {
  const bad = rows.filter(({ code }) => code !== null);
  const [first] = bad;
  if (first === undefined) return { outcome: "success" };
  return {
    outcome: done > 0 ? "partial" : "failed",
    failure: new AmofError(
      done > 0 ? "partial_failure" : first.code ?? "git_failed",
      `${head(done, done + bad.length)} ${wrong(first, bad)}`,
      {
        hint: hint ?? remediesOf(
          bad.map(({ name, fix }) => ({ name, fix: fix ?? "look at it: amof status" })),
          isWhole && bad.length > MANY
            ? rows.filter(({ code }) => code === null).map(({ name }) => name)
            : undefined,
        ),
        details: {
          repos: bad.map((row) => Object.fromEntries(told.map((member) => [member, row[member]]))),
        },
      },
    ),
  };
}
