/**
 * `amof doctor`: is everything there that the other commands need, and was anything cut off half-way?
 *
 * It works anywhere: without a control repository it looks at the machine, and where no ecosystem is meant at all of
 * them. With `--repair` the pipeline settles interrupted work before this command looks.
 */

import { AmofError, reasonOf, toAmofError } from "../../base/error.ts";
import {
  type CommandContext,
  type ExecuteContext,
  mutation,
  type Result,
  type UnfinishedWork,
} from "../../contract/mod.ts";
import { failureLines } from "../advice/need_lines.ts";
import { count, few, list } from "../../base/text/words.ts";
import { linkedEcosystems, linkedText, whyOf } from "../../workspace/mod.ts";
import { checkManifest, ecosystemNames, loadManifest } from "../../workspace/manifest/mod.ts";
import { unfinishedText } from "../advice/clone.ts";
import { mendMirrors, type MirrorTrouble, mirrorTroubles } from "../../workspace/mirrors/mod.ts";
import { type GoneTicket, goneTickets, remainsText } from "../../workspace/tickets/mod.ts";
import { releaseTicket } from "../../workspace/tickets/changing.ts";
import { checkControl, checkEcosystem, checkMachine } from "./checks.ts";
import { type Check, found } from "./found.ts";
import { openRecords, RECORD_SUBJECT, recordTag } from "../release/record.ts";
import { checkEntries } from "../../machine/hosts/mod.ts";
import { temporaries } from "../../workspace/removal/mod.ts";
import { ticketRemains, undeleted } from "../removal/removal.ts";
import { join } from "@std/path";
import { commitRecords } from "../release/gates.ts";
import { commitRecord } from "../release/publish.ts";
import { CONTROL } from "../release/answer.ts";

/** Looks at the hosts of the user, and at those of the control repository; nothing where none starts amof. */
async function checkHosts({ system, root }: CommandContext): Promise<Check[]> {
  const entries = await checkEntries(system, root === "" ? system.env.cwd : root);
  const whole = entries.filter(({ problem }) => problem === null).map(({ name }) => name);
  return [
    ...entries.flatMap(({ name, problem, of }) => {
      if (problem === null) return [];
      const server = of === null || of.server === "amof" ? "" : ` --server ${of.server}`;
      const scope = of?.isProject === true ? " --scope project" : "";
      const fix = of === null ? null : `amof mcp install ${of.host}${server}${scope}`;
      return [found(`entry of ${name}`, "warning", problem, fix)];
    }),
    ...(whole.length === 0 ? [] : [found("hosts", "ok", list(whole))]),
  ];
}

interface DoctorData {
  readonly checks: readonly Check[];
}

async function ecosystemsOf(ctx: CommandContext): Promise<readonly string[]> {
  if (ctx.root === "") return [];
  return ctx.ecosystem === "" ? await ecosystemNames(ctx.system, ctx.root) : [ctx.ecosystem];
}

/** What was cut off, as a check. */
function interrupted(left: readonly UnfinishedWork[], ecosystem: string): Check[] {
  const repair = `amof${ecosystem === "" ? "" : ` -e ${ecosystem}`} doctor --repair`;
  return [
    left.length === 0
      ? found("interrupted work", "ok", "none")
      : found("interrupted work", "problem", left.map(unfinishedText).join("; "), repair),
  ];
}

/** A check whose fix means its ecosystem wherever it is pasted: hints of errors name none. */
function fixIn(ecosystem: string, check: Check): Check {
  const fix = check.fix?.replaceAll(/\bamof (?=[a-z])/g, `amof -e ${ecosystem} `) ?? null;
  return { ...check, fix };
}

async function examine(
  ctx: CommandContext,
  wanted: Parameters<typeof checkEcosystem>[1],
): Promise<Result<DoctorData>> {
  if (wanted.verdicts) ctx.git.verdicts?.compareAll();
  const checks = [
    ...await checkMachine(ctx),
    ...await checkControl(ctx),
    ...await checkRecords(ctx),
    ...(ctx.root === "" ? [] : await linkedEcosystems(ctx.system, ctx.root)).map((name) =>
      found("ecosystems", "problem", ...linkedText(ctx.root, name))
    ),
    ...await checkHosts(ctx),
  ];
  const names = await ecosystemsOf(ctx);
  for (const name of names) {
    const own = [
      ...await checkEcosystem({ ...ctx, ecosystem: name }, wanted),
      ...interrupted(await ctx.runs.unfinished(name), name),
    ];
    // Where several are looked at, each line says which one it is about.
    checks.push(
      ...own.map((check) => fixIn(name, check)).map((check) =>
        names.length === 1 ? check : { ...check, name: `${name}: ${check.name}` }
      ),
    );
  }
  if (names.length === 0) checks.push(...interrupted(await ctx.runs.unfinished(), ""));
  const bad = checks.filter((entry) => !entry.ok);
  const [first] = bad;
  if (first === undefined) return { data: { checks } };
  return {
    data: { checks },
    failure: new AmofError(
      "check_failed",
      `Found ${count(bad.length, "problem")}${
        bad.length === 1 ? ":" : ", the first:"
      } ${first.name}: ${first.detail}`,
      {
        ...(first.fix === null ? {} : { hint: first.fix }),
      },
    ),
  };
}

/** "2 warnings: manifest and clones"; empty where there is none. */
function warningsIn(checks: readonly Check[]): string {
  const names = checks.filter(({ level }) => level === "warning").map(({ name }) => name);
  if (names.length === 0) return "";
  const shown = names.length > 3 ? [...names.slice(0, 2), `${names.length - 2} more`] : names;
  return `${count(names.length, "warning")}: ${list(shown)}`;
}

/** What `--repair` has left to delete. */
async function rubbishOf(ctx: CommandContext): Promise<string[]> {
  if (ctx.root === "" || ctx.ecosystem === "") return [];
  const { manifest } = await checkManifest(ctx.system, ctx.root, ctx.ecosystem);
  return manifest === null ? [] : [
    ...await undeleted(ctx, manifest),
    ...(await ticketRemains(ctx, manifest)).rubbish,
    ...await temporaries(ctx),
  ];
}

/** The mirrors that `--repair` has to mend. */
async function brokenMirrors(ctx: CommandContext): Promise<readonly MirrorTrouble[]> {
  if (ctx.root === "" || ctx.ecosystem === "") return [];
  const { manifest } = await checkManifest(ctx.system, ctx.root, ctx.ecosystem);
  return manifest === null ? [] : await mirrorTroubles(ctx, manifest);
}

/** The tickets without workspaces that `--repair` lets go of. */
async function ticketsGone(ctx: CommandContext): Promise<readonly GoneTicket[]> {
  if (ctx.root === "" || ctx.ecosystem === "") return [];
  const { manifest } = await checkManifest(ctx.system, ctx.root, ctx.ecosystem);
  return manifest === null ? [] : await goneTickets(ctx, manifest);
}

/** `amof doctor`. */
export const doctor = mutation({
  name: "amof_doctor",
  path: ["doctor"],
  mcp: "never",
  toolset: "ecosystem",
  scope: "ecosystem",
  safety: "safe-write",
  confirm: "none",
  idempotent: true,
  title: "Doctor",
  needs: "what is there",
  openWorld: true,
  summary: "Check what the other commands need; with --repair finish or undo what was interrupted.",
  description:
    "Works anywhere: outside of a control repository it looks at git and the state database only, and where no ecosystem is meant at all of them. Only problems fail (exit code 3); warnings are named.",
  examples: ["doctor", "doctor --remotes", "doctor --verdicts", "doctor --repair"],
  input: (z) => ({
    repair: z.boolean().default(false).describe(
      "Finish or undo what an interrupted command left",
    ),
    remotes: z.boolean().default(false).describe("Also ask the remotes of all repositories"),
    verdicts: z.boolean().default(false).describe("Ask git for all that is remembered of clones"),
  }),
  raised: (input) => input.repair ? { locks: "ecosystem" } : null,
  undo: {
    irreversible: "what is repaired",
  },
  async preview(ctx, input) {
    if (input.repair && ctx.root !== "" && ctx.ecosystem === "") {
      const names = await ecosystemsOf(ctx);
      if (names.length > 0) {
        throw new AmofError(
          "scope_required",
          `Cannot tell which ecosystem is to be repaired: there are ${names.length}`,
          {
            hint: [
              `Available: ${list(names.slice(0, 20))}`,
              ...names.slice(0, 3).map((name) => `Repair it: amof -e ${name} doctor --repair`),
            ],
            details: { available: names },
          },
        );
      }
    }
    const settled = await examine(ctx, input);
    const left = await ctx.runs.unfinished();
    const rubbish = input.repair ? await rubbishOf(ctx) : [];
    const mirrors = input.repair ? await brokenMirrors(ctx) : [];
    const gone = input.repair ? await ticketsGone(ctx) : [];
    const records = input.repair ? await openRecords(ctx) : [];
    const nothing = rubbish.length + mirrors.length + gone.length + records.length === 0;
    return {
      facts: { checks: settled.data.checks.map(({ name, level }) => ({ name, level })) },
      summary: left.length === 0 && nothing
        ? "Would repair nothing: no command was interrupted."
        : `Would finish or undo ${count(left.length, "interrupted command")}.`,
      effects: [
        ...left.map((journal) =>
          `Finish or undo ${journal.action} (run ${journal.run_id.slice(0, 8)})`
        ),
        ...mirrors.map(({ repo, what }) =>
          what === "changed"
            ? `Give the mirror of ${repo.name} its configuration again`
            : `Make the mirror of ${repo.name} again`
        ),
        ...gone.map(({ id }) => `Let go of what ticket ${id} holds, whose workspace is gone`),
        ...records.map((path) => `Commit ${path}`),
        ...rubbish.map((place) => `Delete ${place}`),
      ],
      current: settled.failure?.message ?? "Everything is in order",
      alternatives: ["Look only: amof doctor"],
      // The pipeline has settled interrupted work by now; if there is nothing else to repair, this is the answer.
      ...(nothing ? { settled } : {}),
    };
  },
  async execute(ctx, input) {
    if ((await brokenMirrors(ctx)).length > 0) {
      const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
      // A mirror that stays broken is told by the check that follows.
      await mendMirrors(ctx, manifest).catch((thrown) => {
        const error = toAmofError(thrown, () => ctx.system.ids.hex(8));
        if (["cancelled", "internal_error"].includes(error.code)) throw thrown;
        ctx.report.log("warn", `Could not mend every mirror: ${whyOf(error)}`);
      });
    }
    for (const { id, directory, repos } of await ticketsGone(ctx)) {
      await releaseTicket(ctx, directory);
      ctx.report.log("info", `Let go of ticket ${id}: ${remainsText({ repos })}`);
    }
    await keepRecords(ctx);
    for (const place of await rubbishOf(ctx)) {
      await ctx.system.files.removeTree(place).catch((error) => {
        ctx.report.log("warn", `Could not delete ${place}: ${reasonOf(error)}`);
      });
    }
    return await examine(ctx, input);
  },
  render: (data: DoctorData) => {
    const bad = data.checks.filter((entry) => !entry.ok).length;
    const warnings = warningsIn(data.checks);
    const also = warnings === "" ? "" : `, ${warnings}`;
    const mark = { ok: "✓", warning: "⚠", problem: "✗" };
    return {
      summary: bad === 0
        ? warnings === "" ? "Found everything in order." : `Found no problem${also}.`
        : `Found ${count(bad, "problem")}${also}.`,
      details: failureLines(data.checks.map(({ name, level, detail, fix }) => ({
        name: name.replace(/^.*\bclone /, ""),
        label: name,
        problem: detail,
        fix: fix ?? "",
        sign: mark[level],
      }))).join("\n"),
    };
  },
});

/** Records that are not committed, as a check. */
async function checkRecords(ctx: CommandContext): Promise<Check[]> {
  const open = await openRecords(ctx).catch(() => []);
  if (open.length === 0) return [];
  const words = `${few(open, 3)} ${open.length === 1 ? "is" : "are"} not committed`;
  return [found("release records", "warning", words, commitRecords(ctx.root, open))];
}

/** Commits them; what cannot be committed stays, and the log says why. */
async function keepRecords(ctx: ExecuteContext): Promise<void> {
  const paths = await openRecords(ctx);
  const branch = await ctx.git.at(ctx.root).branches.current();
  if (paths.length === 0 || branch === null) return;
  const files: Record<string, string> = {};
  for (const path of paths) {
    files[path] = await ctx.system.files.readText(join(ctx.root, path)) ?? "";
  }
  const subject = `${RECORD_SUBJECT}${list(paths.map(recordTag))}`;
  await commitRecord(ctx, { repo: CONTROL, directory: ctx.root, branch, files, subject });
}
