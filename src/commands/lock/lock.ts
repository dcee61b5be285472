/** `amof lock`: writes down which commit every repository is at (LOCK-1). */

import { dirname, join, resolve } from "@std/path";
import { AmofError } from "../../base/error.ts";
import { type CommandContext, mutation, onlyTyped, type Result } from "../../contract/mod.ts";
import { timestamp } from "../../base/system/mod.ts";
import { blocks, verbatim } from "../../base/text/parts.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { table } from "../../base/text/table.ts";
import { count, few, shellWord } from "../../base/text/words.ts";
import { kindOfList } from "../../workspace/import/mod.ts";
import { loadManifest, lockFile, type Manifest } from "../../workspace/manifest/mod.ts";
import {
  type Lock,
  LOCK_FORMATS,
  type LockedRepo,
  type LockFormat,
  lockText,
  readLock,
  writeList,
} from "../../workspace/lock/mod.ts";
import { lockAnew, type LockMove, movesFrom, moveTo } from "./move.ts";
import { inPoolOf, requireWorkspace, type Workspace } from "../../workspace/mod.ts";
import { replaceFile } from "../../workspace/changing.ts";
import { committing } from "../repo/context.ts";
import { type Elsewhere, lockedRepo, planLock } from "./plan.ts";
import { inspectRepos, type RepoSnapshot } from "../../workspace/clones/mod.ts";
import { shortSha } from "../../base/ids.ts";

/** How a repository differs from the lock. */
interface Drift {
  readonly name: string;
  readonly difference: string;
}

interface LockData {
  /** The file; relative to the control repository where it lies there. */
  readonly file: string;
  readonly format: LockFormat;
  readonly repos: readonly {
    readonly name: string;
    readonly branch: string;
    readonly commit: string;
  }[];
  /** What is written down and only here. */
  readonly local: readonly string[];
  /** What is on another branch than the one that the lock puts at its commit. */
  readonly elsewhere: readonly Elsewhere[];
  /** What the format cannot say, one line each. */
  readonly notes: readonly string[];
  /** How the repositories differ from what the file says, where that was asked. */
  readonly drift?: readonly Drift[];
  /** Whether it was written where it is to be committed for it to count for others; absent where not. */
  readonly to_commit?: boolean;
  /** The lock itself, where it was to be printed instead of written. */
  readonly text?: string;
}

/** What the file is called that is no file: standard output. */
const PRINTED = "-";

/** The names of the files of other tools, beside the lock. */
const BESIDE: Readonly<Record<Exclude<LockFormat, "amof">, string>> = {
  repos: "lock.repos",
  west: "west.yml",
  repo: "default.xml",
};

/** What a list of each format is called where it is read. */
const KIND = { amof: "amof", repos: "repos", west: "west", repo: "repo-xml" } as const;

/** The file to write: absolute, and as it is shown. */
function fileOf(
  ctx: CommandContext,
  { out, format }: { readonly out?: string | undefined; readonly format: LockFormat },
): { readonly path: string; readonly shown: string } {
  if (out !== undefined) return { path: resolve(ctx.system.env.cwd, out), shown: out };
  const usual = lockFile(ctx.ecosystem);
  const shown = format === "amof" ? usual : `${dirname(usual)}/${BESIDE[format]}`;
  return { path: join(ctx.root, shown), shown };
}

/** The text that is there. Throws where it is something else than what would be written. */
async function textBefore(
  ctx: CommandContext,
  { path, shown }: ReturnType<typeof fileOf>,
  { format, out }: { readonly format: LockFormat; readonly out?: string | undefined },
): Promise<string | null> {
  if (shown === PRINTED) return null;
  const info = await ctx.system.files.stat(path);
  const text = info?.kind === "file" ? await ctx.system.files.readText(path) ?? "" : null;
  if (info === null || (text !== null && kindOfList("", text) === KIND[format])) return text;
  throw new AmofError(
    "invalid_arguments",
    `Cannot write the lock to ${cleanLine(shown, 120)}: something else is there`,
    {
      hint: out === undefined && format === "amof"
        ? lockAnew(path, { other: null, isInTheWay: true })
        : "Name another file: the same command with --out FILE",
      details: { field: "out" },
    },
  );
}

const UNLOCKED = "it is not in the lock";

/** How repositories differ from a lock. */
function driftsOf(now: readonly (LockedRepo | string)[], then: Lock["repos"]): Drift[] {
  const locked = new Map(then.map((repo) => [repo.name, repo]));
  const drifts: Drift[] = [];
  for (const repo of now) {
    const name = typeof repo === "string" ? repo : repo.name;
    const was = locked.get(name);
    locked.delete(name);
    if (was === undefined) drifts.push({ name, difference: UNLOCKED });
    else if (typeof repo === "string") drifts.push({ name, difference: "it is not cloned" });
    else if (was.url !== repo.url) drifts.push({ name, difference: "its address is another one" });
    else if (was.commit !== undefined && was.commit !== repo.commit) {
      const difference = `${shortSha(was.commit)} is locked, ${shortSha(repo.commit)} is here`;
      drifts.push({ name, difference });
    }
  }
  const gone = [...locked.keys()].map((name) => ({ name, difference: "the manifest lacks it" }));
  return [...drifts, ...gone];
}

/** What is locked elsewhere than on base branches, a line for each branch; nothing where all is there. */
function elsewhereLines(
  repos: LockData["repos"],
  elsewhere: readonly Elsewhere[],
): readonly string[] {
  const bases = new Map(repos.map(({ name, branch }) => [name, branch]));
  return [...Map.groupBy(elsewhere, ({ branch }) => branch)].map(([branch, there]) => {
    const names = there.map(({ name }) => name);
    const lacking = [...new Set(names.map((name) => bases.get(name) ?? ""))];
    return `${few(names, 3)} ${names.length === 1 ? "is" : "are"} on ${
      cleanLine(branch, 60)
    }: what is locked is there, and not on ${few(lacking, 3)}`;
  });
}

function rowsOf(repos: readonly LockedRepo[]): LockData["repos"] {
  return repos.map(({ name, branch, commit }) => ({ name, branch, commit }));
}

/** Every enabled repository with the commit it is at, without asking anybody. */
function snapshotsOf(
  ctx: CommandContext,
  manifest: Manifest,
  { directory, state }: Workspace,
): Promise<RepoSnapshot[]> {
  const repos = manifest.repos.filter((repo) => repo.enabled);
  return inspectRepos(ctx, { workspace: directory, repos, state });
}

/** What leads on from a drift: `install --locked` only where that moves a clone or makes one, and what else it waits for. */
export function driftHint(
  drift: readonly Drift[],
  ways: readonly { readonly name: string; readonly way: LockMove }[],
  { file, missing }: {
    /** Another lock than the usual one. */
    readonly file: string | null;
    /** What is not cloned, without which nothing can be locked. */
    readonly missing: readonly string[];
  },
): string[] {
  const staying = ways.flatMap(({ name, way }) =>
    way.to === "stay" && !missing.includes(name) ? [{ name, fix: way.fix }] : []
  );
  // A lock without one of the repositories is refused.
  const isLacking = drift.some(({ difference }) => difference === UNLOCKED);
  const isGoing = missing.length > 0 ||
    ways.some(({ way }) => way.to !== "there" && way.to !== "stay");
  const from = file === null ? "--locked" : `--lock-file ${shellWord(file)}`;
  return [
    ...(!isLacking && isGoing ? [`Go to what is locked: amof install ${from}`] : []),
    ...(isLacking && missing.length > 0
      ? [`Clone what is missing first: amof sync --repo ${missing.join(",")}`]
      : []),
    ...movesFrom(staying, file, missing.length === 0),
  ];
}

/** Compares the repositories with the lock that is there. */
async function check(
  ctx: CommandContext,
  { path, shown }: ReturnType<typeof fileOf>,
): Promise<Result<LockData>> {
  const isFile = (await ctx.system.files.stat(path))?.kind === "file";
  const text = isFile ? await ctx.system.files.readText(path) : null;
  const lock = text === null ? "it is not there" : readLock(text);
  const other = shown === lockFile(ctx.ecosystem) ? null : shown;
  if (typeof lock === "string") {
    throw new AmofError(
      "invalid_arguments",
      `Cannot compare with ${cleanLine(shown, 120)}: ${lock}`,
      {
        hint: lockAnew(path, {
          other,
          isInTheWay: text !== null && kindOfList("", text) !== KIND.amof,
        }),
        details: { file: shown },
      },
    );
  }
  const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
  const workspace = await requireWorkspace(ctx, ctx.root, manifest);
  const snapshots = await snapshotsOf(ctx, manifest, workspace);
  const now = snapshots.map((snapshot) => lockedRepo(snapshot) ?? snapshot.repo.name);
  const drift = driftsOf(now, lock.repos);
  const data: LockData = {
    file: shown,
    format: "amof",
    repos: lock.repos.flatMap(({ name, branch = "", commit }) =>
      commit === undefined ? [] : [{ name, branch, commit }]
    ),
    local: [],
    elsewhere: [],
    notes: [],
    drift,
  };
  if (drift.length === 0) return { data };
  const ways = await inPoolOf(
    ctx,
    "looking",
    snapshots.flatMap(({ repo }) => {
      const commit = lock.repos.find(({ name }) => name === repo.name)?.commit;
      const differs = drift.some(({ name }) => name === repo.name);
      return differs && commit !== undefined ? [{ name: repo.name, repo, commit }] : [];
    }),
    async (pin) => ({ name: pin.name, way: await moveTo(ctx, workspace.directory, pin) }),
  );
  const names = few(drift.map(({ name }) => `"${name}"`), 5);
  return {
    data,
    failure: new AmofError(
      "check_failed",
      `${count(drift.length, "repository differs", "repositories differ")} from ${shown}: ${names}`,
      {
        hint: driftHint(drift, ways, {
          file: other,
          missing: snapshots.filter((one) => one.missing).map(({ repo }) => repo.name),
        }),
        details: { repos: drift },
      },
    ),
  };
}

/** `amof lock`. */
export const lock = mutation({
  name: "amof_lock_ecosystem",
  path: ["lock"],
  toolset: "ecosystem",
  mcp: "asked for",
  scope: "ecosystem",
  safety: "safe-write",
  confirm: "none",
  idempotent: true,
  runs: "lock",
  inline: true,
  locks: "scope",
  openWorld: true,
  needs: "a workspace",
  next: ["get_ecosystem_status"],
  title: "Lock ecosystem",
  summary: "Write down which commit every repository is at, for install --locked elsewhere.",
  description:
    "Every remote is asked for the commit: one that only this machine has is refused, as are uncommitted files, unless --allow-local. --check compares the repositories with the lock that is there, exit code 3 where they differ. --format writes the list of another tool, which ecosystem create --from reads back.",
  instead: Object.fromEntries(
    ["repo", "tag", "only"].map((flag) => [
      flag,
      "A lock names every repository, since all of them are installed from it\nLeave one out for good: amof repo remove NAME",
    ]),
  ),
  examples: [
    "lock",
    "lock --check",
    "lock --format repos --out robot.repos",
    "lock --format west --out -",
  ],
  input: (z) => ({
    format: z.enum(LOCK_FORMATS).default("amof").describe("Whose list"),
    check: z.boolean().default(false).describe("Only compare with the lock that is there"),
    allow_local: z.boolean().default(false).describe("Also lock what only this machine has"),
    out: onlyTyped(
      z.string().min(1).optional().describe(
        "The file, or - to print it; ecosystems/NAME/lock.json without it",
      ),
    ),
  }),
  async preview(ctx, input) {
    const file = fileOf(ctx, input);
    const { path, shown } = file;
    const other = input.format !== "amof" ? "--format" : shown === PRINTED ? "--out -" : null;
    if (input.check && other !== null) {
      throw new AmofError("invalid_arguments", `Cannot use --check together with ${other}`, {
        hint: "Compare with the lock of amof: amof lock --check",
        details: { field: "check" },
      });
    }
    if (input.check) {
      const settled = await check(ctx, file);
      return {
        facts: {
          ...{ file: shown, made: null, repos: [], local: [], elsewhere: [], notes: [] },
          groups: {},
        },
        summary: `Would compare with ${shown}.`,
        effects: [],
        current: `${shown} is there`,
        alternatives: [],
        settled,
      };
    }
    const before = await textBefore(ctx, file, input);
    const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
    const workspace = await requireWorkspace(ctx, ctx.root, manifest);
    const snapshots = await snapshotsOf(ctx, manifest, workspace);
    const { repos, local, elsewhere } = await planLock(ctx, snapshots, {
      state: workspace.state,
      perTicket: manifest.perTicket,
      allowLocal: input.allow_local,
    });
    const { groups } = manifest;
    const grouped = Object.keys(groups);
    const notes = input.format === "amof" ? [] : [
      ...(await writeList(input.format, repos)).notes,
      ...(grouped.length === 0 ? [] : [`groups: ${grouped.join(", ")}`]),
    ];
    const old = before === null || input.format !== "amof" ? null : readLock(before);
    const same = old !== null && typeof old !== "string" &&
      JSON.stringify([old.repos, old.groups ?? {}]) === JSON.stringify([repos, groups]);
    const data = {
      file: shown,
      format: input.format,
      repos: rowsOf(repos),
      local,
      elsewhere,
      notes,
    };
    return {
      facts: {
        file: shown,
        made: before === null ? path : null,
        repos,
        local,
        elsewhere,
        notes,
        groups,
      },
      summary: shown === PRINTED
        ? `Would print a lock of ${count(repos.length, "repo")}.`
        : same
        ? `Would change nothing: ${shown} has ${count(repos.length, "repo")} as they are.`
        : `Would lock ${count(repos.length, "repo")} in ${shown}.`,
      effects: same ? [] : [
        shown === PRINTED
          ? "Print the lock; no file is written"
          : `${before === null ? "Write" : "Replace"} ${shown}`,
        ...repos.map(({ name, branch, commit }) =>
          `Lock ${name} at ${shortSha(commit)} of ${
            cleanLine(elsewhere.find((other) => other.name === name)?.branch ?? branch, 60)
          }`
        ),
        ...elsewhereLines(repos, elsewhere),
        ...local.map((name) => `Lock ${name} although only this machine has it so`),
        ...notes.map((note) => `Not carried over: ${note}`),
      ],
      current: shown === PRINTED
        ? "Nothing is written"
        : before === null
        ? `There is no ${shown}`
        : `${shown} is there`,
      alternatives: ["Compare only: amof lock --check"],
      ...(same ? { settled: { data } } : {}),
    };
  },
  undo: {
    irreversible: ({ made }, { out }) =>
      out === PRINTED
        ? null
        : made !== null
        ? `the new file; while it is not committed, delete it: rm ${shellWord(made)}`
        : "the lock that was there; git has it where it was committed",
  },
  async execute(ctx, input, { file, repos, local, elsewhere, notes, groups }) {
    const place = fileOf(ctx, input);
    const before = await textBefore(ctx, place, input);
    const after = input.format === "amof"
      ? lockText({
        ecosystem: ctx.ecosystem,
        made_at: timestamp(ctx.system.clock.now()),
        repos,
        groups,
      })
      : (await writeList(input.format, repos)).text;
    const data = { file, format: input.format, repos: rowsOf(repos), local, elsewhere, notes };
    if (file === PRINTED) return { data: { ...data, text: after } };
    const what = `Write ${file}`;
    await ctx.perform([replaceFile.step({ file: place.path, before, after, what, keep: null })]);
    return { data: input.out === undefined ? { ...data, to_commit: true } : data };
  },
  render: (data: LockData) => {
    const { file, repos, local, elsewhere, notes, drift, text, to_commit: isNew } = data;
    if (drift !== undefined) {
      return {
        summary: drift.length === 0
          ? `${count(repos.length, "repo")} as locked in ${file}.`
          : `${count(drift.length, "repo")} not as locked.`,
        details: drift.length === 0
          ? []
          : [table(["repo", "difference"], drift.map((one) => [one.name, one.difference]))],
      };
    }
    const notesToo = blocks(
      local.length === 0
        ? null
        : `⚠ Only this machine has ${few(local, 3)} as ${
          local.length === 1 ? "it is" : "they are"
        }; push, then lock again`,
      elsewhereLines(repos, elsewhere).map((line) => `⚠ ${line}`),
      notes.length === 0 ? null : ["Not carried over:", ...notes.map((note) => `- ${note}`)],
    );
    if (text !== undefined) {
      return {
        summary: `Printed a lock of ${count(repos.length, "repo")}.`,
        details: verbatim(text.trimEnd()),
        notes: notesToo,
        bare: "value",
      };
    }
    return {
      summary: `Locked ${count(repos.length, "repo")} in ${file}.`,
      details: table(
        ["repo", "branch", "commit"],
        repos.map(({ name, branch, commit }) => [name, branch, shortSha(commit)]),
      ),
      notes: blocks(notesToo, isNew === true ? committing(file, "Lock the repositories") : null),
    };
  },
});
