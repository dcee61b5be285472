/** `amof exec`: runs a program in all or selected repositories (EXEC-1). */

import { mutation } from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import { EXEC, execInput, previewExec } from "./action.ts";
import type { Wanted } from "./invocation/plan.ts";

interface What {
  readonly command?: readonly string[] | undefined;
  readonly shell?: string | undefined;
  readonly task?: string | undefined;
  readonly retry_failed?: string | undefined;
  readonly resume?: string | undefined;
}

/** What the caller says to run, which must be one thing. */
function wantedOf({ command, shell, task, retry_failed: run, resume }: What): Wanted {
  const given = [command, shell, task, run, resume].filter((value) => value !== undefined).length;
  if (given !== 1 || command?.length === 0 || command?.[0] === "") {
    throw new AmofError(
      "invalid_arguments",
      given > 1
        ? "Cannot run several things at once: a program, a shell line, a task and a repetition exclude each other"
        : "Cannot run a program: none was named",
      { hint: "Name a program: amof exec -- PROGRAM\nName a task: amof run TASK" },
    );
  }
  if (run !== undefined) return { kind: "rerun", run };
  if (resume !== undefined) return { kind: "resume", run: resume };
  if (task !== undefined) return { kind: "task", task, more: [] };
  return { kind: "line", argv: command ?? null, shell: shell ?? null };
}

/** `amof exec`. */
export const exec = mutation({
  ...EXEC,
  name: "amof_exec",
  path: ["exec"],
  mcp: "asked for",
  asks: { deed: "run", will: "start a program in repositories" },
  title: "Run in repositories",
  summary: "Run a program in all or selected repositories, in parallel or by dependency.",
  description:
    "Typing it is the consent to it. The program is started as it is written, without a shell; --shell hands a line to sh -c. It gets your environment (with --env only the usual variables and those) and AMOF_REPO, AMOF_REPO_PATH, AMOF_BRANCH, AMOF_BASE_BRANCH, AMOF_ECOSYSTEM, AMOF_ROOT, AMOF_WORKSPACE and AMOF_RUN_ID; its input is closed. One that fails stops no other, unless that depends on it or --fail-fast is given; the exit code is 5 then, 1 when none succeeded, 124 when the time limit ended all of them. Over MCP it runs only what a person has approved (amof exec trust).",
  behind: "command",
  examples: [
    "exec -- git log -1 --oneline",
    "exec --repo 'svc-*' --time-limit 10m -- make test",
    "exec --order layers --fail-fast -- git log -1 --oneline",
    "exec --shell 'git ls-files | wc -l'",
    "exec --all-tickets -- git log -1 --oneline",
    "exec --retry-failed 4e8c1d72",
    "exec --engine local --shards 8 -- make test",
  ],
  input: (z) => ({
    command: z.array(z.string()).optional().describe("The program and its arguments"),
    shell: z.string().min(1).optional().describe("A line for sh -c instead"),
    task: z.string().optional().describe("A task of the manifest instead"),
    retry_failed: z.string().optional().describe(
      "Repeat this run where it did not succeed",
    ),
    resume: z.string().optional().describe(
      "Go on with a run on an engine after its process was ended",
    ),
    env: z.array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of a variable"))
      .optional().describe("Pass only the usual variables and these"),
    ...execInput(z),
  }),
  preview: (ctx, input) => previewExec(ctx, wantedOf(input), input),
});
