/**
 * `amof doctor`: is everything there that the other commands need, and was anything cut off half-way?
 *
 * With `--repair` the pipeline settles interrupted work before this command looks.
 *
 * @module
 */

// @ts-types="@types/std/path.d.ts"
import { basename, dirname } from "@std/path";
import { AmofError, reasonOf } from "../error.ts";
import { isRecentGit, OLDEST_GIT } from "../git/mod.ts";
import { type CommandContext, mutation, type Result } from "../spec/mod.ts";
import { count } from "../text/words.ts";
import { leftoverLine } from "./leftover.ts";
import { checkManifest } from "./manifest.ts";
import { undeleted } from "./removal.ts";
import { loadState } from "./state.ts";
import { temporaries } from "./temporaries.ts";
import { findWorkspace } from "./workspace.ts";

interface Check {
  readonly [field: string]: unknown;
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  /** A command to paste, or null. */
  readonly fix: string | null;
}

interface DoctorData {
  readonly [field: string]: unknown;
  readonly checks: readonly Check[];
}

function check(name: string, ok: boolean, detail: string, fix: string | null = null): Check {
  return { name, ok, detail, fix: ok ? null : fix };
}

/** Turns a failure of a look into a failed check. */
async function attempt(name: string, fix: string, look: () => Promise<Check>): Promise<Check> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof AmofError)) throw error;
    return check(name, false, error.message, error.hint ?? fix);
  }
}

function checkGit(ctx: CommandContext): Promise<Check> {
  return attempt("git", "Install git", async () => {
    const version = await ctx.git.version(ctx.root);
    return check("git", isRecentGit(version), version, `Update git to ${OLDEST_GIT} or later`);
  });
}

function checkStore(ctx: CommandContext): Promise<Check> {
  return attempt("state database", "Check the permissions of the state directory", async () => {
    const { runs } = await ctx.store();
    const active = runs.list({ statuses: ["queued", "running", "paused"], limit: 200 });
    return check("state database", true, count(active.length, "active run"));
  });
}

async function checkEcosystem(ctx: CommandContext): Promise<Check[]> {
  const { errors, warnings, manifest } = await checkManifest(ctx.system, ctx.root, ctx.ecosystem);
  const found = check(
    "manifest",
    errors.length === 0,
    `${count(errors.length, "error")}, ${count(warnings.length, "warning")}`,
    `amof -e ${ctx.ecosystem} manifest validate`,
  );
  if (manifest === null) return [found];
  const workspace = await attempt(
    "workspace",
    `amof -e ${ctx.ecosystem} install --repair`,
    async () => {
      const place = await findWorkspace(ctx, ctx.root, manifest);
      if (place.worktree === null) return check("workspace", true, "not installed");
      if (place.worktree.prunable) {
        return check(
          "workspace",
          false,
          "its directory is gone",
          `amof -e ${ctx.ecosystem} install --repair`,
        );
      }
      const state = await loadState(ctx.system, place.directory);
      return check(
        "workspace",
        state !== null,
        state === null ? "its state is missing" : manifest.workspaceDir,
        `amof -e ${ctx.ecosystem} install --repair`,
      );
    },
  );
  const rubbish = await undeleted(ctx, manifest);
  const temporary = await temporaries(ctx);
  return [
    found,
    workspace,
    ...(temporary.length === 0 ? [] : [check(
      "temporary files",
      false,
      `${count(temporary.length, "file")} that killed commands were writing, first ${
        basename(dirname(temporary[0] ?? ""))
      }/${basename(temporary[0] ?? "")}`,
      `amof -e ${ctx.ecosystem} doctor --repair`,
    )]),
    ...(rubbish.length === 0 ? [] : [check(
      "removed workspaces",
      false,
      `not all could be deleted: ${rubbish.join(", ")}`,
      `amof -e ${ctx.ecosystem} doctor --repair`,
    )]),
  ];
}

/** What `--repair` has left to delete. */
async function rubbishOf(ctx: CommandContext): Promise<string[]> {
  const { manifest } = await checkManifest(ctx.system, ctx.root, ctx.ecosystem);
  return manifest === null ? [] : [...await undeleted(ctx, manifest), ...await temporaries(ctx)];
}

async function examine(ctx: CommandContext): Promise<Result<DoctorData>> {
  const left = await ctx.leftovers();
  const checks = [
    await checkGit(ctx),
    await checkStore(ctx),
    ...await checkEcosystem(ctx),
    check(
      "interrupted work",
      left.length === 0,
      left.length === 0 ? "none" : left.map(leftoverLine).join("; "),
      `amof -e ${ctx.ecosystem} doctor --repair`,
    ),
  ];
  const bad = checks.filter((entry) => !entry.ok);
  const [first] = bad;
  if (first === undefined) return { data: { checks } };
  return {
    data: { checks },
    failure: new AmofError(
      "check_failed",
      `Found ${count(bad.length, "problem")}, first ${first.name}: ${first.detail}`,
      {
        ...(first.fix === null ? {} : { hint: first.fix }),
      },
    ),
  };
}

/** `amof doctor`. */
export const doctor = mutation({
  name: "amof_doctor",
  path: ["doctor"],
  only: "cli",
  toolset: "ecosystem",
  scope: "ecosystem",
  safety: "safe-write",
  confirm: "none",
  idempotent: true,
  title: "Doctor",
  summary: "Check what the other commands need; with --repair settle interrupted work.",
  examples: ["doctor", "doctor --repair"],
  input: (z) =>
    z.strictObject({
      repair: z.boolean().default(false).describe(
        "Finish or undo what an interrupted command left",
      ),
    }),
  settlesAll: true,
  raised: (input) => input.repair ? { exclusive: true } : null,
  async preview(ctx, input) {
    const settled = await examine(ctx);
    const left = await ctx.leftovers();
    const rubbish = input.repair ? await rubbishOf(ctx) : [];
    return {
      facts: { checks: settled.data.checks.map(({ name, ok }) => ({ name, ok })) },
      summary: `Would settle ${count(left.length, "interrupted command")}.`,
      effects: [
        ...left.map((leftover) =>
          `Finish or undo ${leftover.action} (run ${leftover.run_id.slice(0, 8)})`
        ),
        ...rubbish.map((place) => `Delete ${place}`),
      ],
      current: settled.failure?.message ?? "Everything is in order",
      alternatives: ["Look only: amof doctor"],
      // Once the pipeline has settled what was interrupted, looking may be all that is left to do.
      ...(rubbish.length === 0 ? { settled } : {}),
    };
  },
  async execute(ctx) {
    for (const place of await rubbishOf(ctx)) {
      await ctx.system.files.removeTree(place).catch((error) => {
        ctx.report.log("warn", `Could not delete ${place}: ${reasonOf(error)}`);
      });
    }
    return await examine(ctx);
  },
  render: (data: DoctorData) => {
    const bad = data.checks.filter((entry) => !entry.ok).length;
    return {
      summary: bad === 0 ? "Found everything in order." : `Found ${count(bad, "problem")}.`,
      details: data.checks.map((entry) =>
        `${entry.ok ? "✓" : "✗"} ${entry.name}: ${entry.detail}${
          entry.fix === null ? "" : `\n    fix: ${entry.fix}`
        }`
      ).join("\n"),
    };
  },
});
