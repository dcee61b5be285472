/**
 * `amof manifest validate`: what is wrong or doubtful in a manifest (amof.md §1.3, §2.9).
 *
 * @module
 */

import { AmofError, EXIT } from "../error.ts";
import { query } from "../spec/mod.ts";
import { count } from "../text/words.ts";
import { checkManifest } from "./manifest.ts";
import { type Problem, problemText } from "./problem.ts";

interface ValidateData {
  readonly [field: string]: unknown;
  readonly file: string;
  readonly valid: boolean;
  readonly errors: readonly Problem[];
  readonly warnings: readonly Problem[];
  readonly repos_count: number | null;
}

/** A problem for readers; `file:line:column` is what editors and terminals make a link of. */
function lines(mark: string, file: string, problem: Problem): string {
  const { path, repo, line, column, message, fix } = problem;
  const about = repo === null ? "" : ` (repository ${repo})`;
  return [
    `${mark} ${path === "" ? "" : `${path}: `}${message}`,
    ...(line === null ? [] : [`    at ${file}:${line}:${column ?? 1}${about}`]),
    `    fix: ${fix}`,
  ].join("\n");
}

/** `amof manifest validate`. */
export const validateManifest = query({
  name: "amof_validate_manifest",
  path: ["manifest", "validate"],
  toolset: "ecosystem",
  scope: "ecosystem",
  title: "Validate manifest",
  summary: "Check ecosystem.yaml; every problem comes with its place and a fix.",
  examples: ["manifest validate", "-e demo manifest validate --strict"],
  input: (z) =>
    z.strictObject({
      strict: z.boolean().default(false).describe("Count warnings as errors"),
    }),
  async run(ctx, input) {
    const check = await checkManifest(ctx.system, ctx.root, ctx.ecosystem, true);
    const errors = input.strict ? [...check.errors, ...check.warnings] : check.errors;
    const data: ValidateData = {
      file: check.file,
      valid: errors.length === 0,
      errors,
      warnings: input.strict ? [] : check.warnings,
      repos_count: check.manifest?.repos.length ?? null,
    };
    const [first] = errors;
    if (first === undefined) return { data };
    return {
      data,
      failure: new AmofError(
        "manifest_invalid",
        `Found ${count(errors.length, "error")} in ${check.file}, first ${problemText(first)}`,
        {
          hint: first.fix,
          exit: EXIT.checkFailed,
        },
      ),
    };
  },
  render: (data: ValidateData) => ({
    summary: data.valid
      ? `Found no errors in ${data.file}${
        data.warnings.length > 0 ? `, ${count(data.warnings.length, "warning")}` : ""
      }.`
      : `Found ${count(data.errors.length, "error")} in ${data.file}.`,
    details: [
      ...data.errors.map((problem) => lines("✗", data.file, problem)),
      ...data.warnings.map((problem) => lines("⚠", data.file, problem)),
    ].join("\n"),
  }),
});
