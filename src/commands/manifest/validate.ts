/** `amof manifest validate`: what is wrong or doubtful in a manifest (WORKSPACE-6). */

import { AmofError, EXIT } from "../../base/error.ts";
import { type CommandContext, query } from "../../contract/mod.ts";
import { count, fixLine } from "../../base/text/words.ts";
import {
  checkManifest,
  fileProblem,
  type Manifest,
  type Problem,
  problemText,
} from "../../workspace/manifest/mod.ts";
import { findWorkspace } from "../../workspace/mod.ts";
import { uncountedEdit } from "../look/drift.ts";

/** A problem for readers; `file:line:column` is what editors and terminals make a link of. */
function lines(mark: string, file: string, problem: Problem): string {
  const { path, repo, line, column, message, fix } = problem;
  const about = repo === null ? "" : ` (repository ${repo})`;
  return [
    `${mark} ${path === "" ? "" : `${path}: `}${message}`,
    ...(line === null ? [] : [`    at ${file}:${line}:${column ?? 1}${about}`]),
  ].join("\n") + fixLine(fix);
}

/** An edit of the manifest where it does not count, as a problem. At most five git processes. */
async function uncountedProblems(
  ctx: CommandContext,
  manifest: Manifest | null,
): Promise<Problem[]> {
  if (manifest === null) return [];
  const { worktree, directory } = await findWorkspace(ctx, ctx.root, manifest);
  if (worktree === null || worktree.prunable) return [];
  const drift = await uncountedEdit(ctx, manifest, directory);
  if (drift === null) return [];
  const [message, fix] = [drift.detail, drift.fix]
    .map((text) => text.charAt(0).toUpperCase() + text.slice(1));
  return [fileProblem(message ?? "", fix ?? "")];
}

/** `amof manifest validate`. */
export const validateManifest = query({
  name: "amof_validate_manifest",
  path: ["manifest", "validate"],
  toolset: "ecosystem",
  scope: "ecosystem",
  next: ["get_ecosystem_status", "describe_ecosystem"],
  title: "Validate manifest",
  summary: "Check ecosystem.yaml; every problem with its place and a fix.",
  examples: ["manifest validate", "-e demo manifest validate --strict"],
  input: (z) => ({
    strict: z.boolean().default(false).describe("Warnings are errors"),
  }),
  async run(ctx, input) {
    const check = await checkManifest(ctx.system, ctx.root, ctx.ecosystem, true);
    const warnings = [...check.warnings, ...await uncountedProblems(ctx, check.manifest)];
    const errors = input.strict ? [...check.errors, ...warnings] : check.errors;
    const data = {
      file: check.file,
      valid: errors.length === 0,
      errors,
      warnings: input.strict ? [] : warnings,
      repos_count: check.manifest?.repos.length ?? null,
    };
    const [first] = errors;
    if (first === undefined) return { data };
    return {
      data,
      failure: new AmofError(
        "manifest_invalid",
        `Found ${count(errors.length, "error")} in ${check.file}${
          errors.length === 1 ? ":" : ", the first:"
        } ${problemText(first)}`,
        {
          hint: first.fix,
          exit: EXIT.checkFailed,
        },
      ),
    };
  },
  render: (data) => ({
    summary: data.valid
      ? `Found no errors in ${data.file}${
        data.warnings.length > 0 ? `, ${count(data.warnings.length, "warning")}` : ""
      }.`
      : `Found ${count(data.errors.length, "error")} in ${data.file}.`,
    details: [
      ...data.errors.map((problem) => lines("✗", data.file, problem)),
      ...data.warnings.map((problem) => lines("⚠", data.file, problem)),
    ],
  }),
});
