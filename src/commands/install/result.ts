/** What came of an install: a row for each repository, and the failure of one that left something undone. */

import { AmofError } from "../../base/error.ts";
import { count, few, remediesByRepo } from "../../base/text/words.ts";
import type { CloneFailure, CloneOutcome } from "../../workspace/clones/changing.ts";
import type { InstallFacts } from "../../workspace/changing.ts";
import { whyOf } from "../../workspace/mod.ts";
import type { InstalledRepo } from "./view.ts";

/** What came of one repository, by what cloning has told. */
export function installRow(
  { name, present, problem }: InstallFacts["repos"][number],
  { empty, failed }: CloneOutcome,
): InstalledRepo {
  if (problem !== null) {
    return { name, result: "failed", detail: problem.detail, code: problem.code };
  }
  const failure = failed.find((entry) => entry.name === name);
  if (failure !== undefined) {
    const { error } = failure;
    return { name, result: "failed", detail: whyOf(error), code: error.code };
  }
  return { name, result: present ? "present" : empty.includes(name) ? "empty" : "cloned" };
}

/** The failure of an install that leaves something undone; nothing when it does not. */
export function failureOf(
  ecosystem: string,
  facts: InstallFacts,
  failed: readonly CloneFailure[],
): { readonly failure?: AmofError } {
  if (facts.repos.some(({ problem }) => problem !== null)) {
    return { failure: unrepaired(facts, failed) };
  }
  return failed.length === 0 ? {} : { failure: incomplete(ecosystem, facts, failed) };
}

/** The failure of a repair that found something else than a clone in the place of one, and left it there. */
function unrepaired({ repos }: InstallFacts, failed: readonly CloneFailure[]): AmofError {
  const rows = [
    ...repos.flatMap(({ name, problem }) => problem === null ? [] : [{ name, ...problem }]),
    ...failed.map(({ name, error }) => ({
      name,
      code: error.code,
      detail: whyOf(error),
      hint: error.hint,
    })),
  ];
  const fixes = remediesByRepo(rows.map(({ name, hint }) => ({ name, fix: hint })));
  return new AmofError(
    "partial_failure",
    `Repaired ${repos.length - rows.length} of ${count(repos.length, "repo")}, without ${
      few(rows.map(({ name }) => `"${name}"`), 5)
    }`,
    {
      hint: fixes.length > 0 ? fixes : "Fix what the messages name, then: amof install --repair",
      details: { repos: rows.map(({ name, code, detail }) => ({ name, code, detail })) },
    },
  );
}

/** The failure of an install that kept what works. */
function incomplete(
  ecosystem: string,
  { repos }: InstallFacts,
  failed: readonly CloneFailure[],
): AmofError {
  const names = few(failed.map(({ name }) => `"${name}"`), 5);
  return new AmofError(
    "partial_failure",
    `Installed ${repos.length - failed.length} of ${count(repos.length, "repo")}, without ${names}`,
    {
      hint: [
        ...remediesByRepo(failed.map(({ name, error }) => ({ name, fix: error.hint }))),
        `When the cause is fixed, clone the rest: amof -e ${ecosystem} sync`,
      ],
      details: {
        repos: failed.map(({ name, error }) => ({
          name,
          code: error.code,
          detail: whyOf(error),
        })),
      },
    },
  );
}
