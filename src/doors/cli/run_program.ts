/** Runs what the command line does alone: programs, which are no calls. */

import { lightly } from "../../contract/mod.ts";
import type { App } from "../../pipeline/app.ts";
import { asTyped } from "../../pipeline/common.ts";
import { type GlobalFlags, usage } from "../../pipeline/line/flags.ts";
import type { Entry, Invocation } from "../../pipeline/line/parse.ts";
import type { ProgramContext } from "../../pipeline/line/program.ts";
import { takeWords, unknownCommand } from "../../pipeline/line/words.ts";
import { AmofError } from "../../base/error.ts";
import type { Fields } from "../../base/object.ts";
import { argumentIssues } from "../../base/text/issues.ts";
import { ENTRIES } from "./entries.ts";

/** The arguments of a program, checked. Throws `invalid_arguments`. */
export async function argumentsFor(
  entry: Extract<Entry, { kind: "program" }>,
  invocation: Invocation,
): Promise<Fields> {
  const { fields, jq, mode } = invocation.flags;
  if (entry.acts === true && mode !== null && mode !== "execute") {
    throw usage(
      `Cannot use ${mode === "plan" ? "--dry-run" : `--mode ${mode}`}: amof ${
        entry.path.join(" ")
      } has no preview`,
      `See: amof ${entry.path.join(" ")} --help`,
    );
  }
  if (entry.answers !== true && (fields !== null || jq !== null)) {
    const flag = jq === null ? "fields behind --json" : "--jq";
    throw usage(
      `Cannot use ${flag}: amof ${entry.path.join(" ")} prints a form of its own`,
      `See: amof ${entry.path.join(" ")} --help`,
    );
  }
  const usual = lightly((z) => entry.input(z))?.safeParse(invocation.args);
  const parsed = usual?.success
    ? usual
    : entry.input(await import("../../contract/zod.ts")).safeParse(invocation.args);
  if (!parsed.success) {
    const issues = argumentIssues(parsed.error, invocation.args)
      .map(({ path, problem }) => ({ path: asTyped(entry, path), problem }));
    const [first] = issues;
    throw new AmofError(
      "invalid_arguments",
      `Cannot run amof ${entry.path.join(" ")}: ${first?.path ?? "The arguments"} ${
        first?.problem ?? "are wrong"
      }`,
      {
        hint: `See: amof ${entry.path.join(" ")} --help`,
        details: { issues },
      },
    );
  }
  return parsed.data;
}

/** What programs get besides their arguments. */
export function programContext(app: App, flags: GlobalFlags): ProgramContext {
  return {
    app,
    flags,
    complete: async (words) =>
      await (await import("./completion/complete.ts")).complete(app.system, app.settings, words),
    unknown(words) {
      const taken = takeWords(words, ENTRIES);
      return taken.words.length > 0 ? null : unknownCommand([], taken.rest, ENTRIES);
    },
  };
}
