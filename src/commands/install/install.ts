/**
 * `amof install`: makes the workspace of an ecosystem (WORKSPACE-14).
 *
 * All or nothing: when a step fails, what this install made is taken away again, and only that.
 */

import { allowNoTouch, loadManifest, manifestFile } from "../../workspace/manifest/mod.ts";
import { wroteBranches } from "../../workspace/manifest/changing.ts";
import {
  type CloneFailure,
  type CloneOutcome,
  cloneOutcome,
} from "../../workspace/clones/changing.ts";
import { findWorkspace, stateFile, whyOf } from "../../workspace/mod.ts";
import { type InstallFacts, workspaceSteps } from "../../workspace/changing.ts";
import { movesFrom } from "../lock/move.ts";
import { type Pinned, pinOutcome, pinSteps } from "../lock/pin.ts";
import { SELECTION_FLAGS, selectionInput } from "../selection/mod.ts";
import { logLines } from "../../git/changing.ts";
import { AmofError } from "../../base/error.ts";
import { type ClonesAdded, type ExecuteContext, mutation, onlyTyped } from "../../contract/mod.ts";
import { count, few, list, remediesByRepo } from "../../base/text/words.ts";
import { foldedLines } from "../../base/text/parts.ts";
import { foldingInput } from "../../contract/input.ts";
import {
  adoptedInOne,
  adoptionFor,
  clonesInOne,
  effectsOf,
  type InstalledRepo,
  isLocked,
  lockedFlag,
  type LockFacts,
  lockFor,
  pinnedAlready,
  pinsAhead,
  pinsOf,
  repoTable,
} from "./view.ts";
import { keepingLine } from "../advice/command_lines.ts";
import { planInstall } from "./plan.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { type Table, table } from "../../base/text/table.ts";
import { shortSha } from "../../base/ids.ts";

/** The row of one repository, after its clone. */
function installRow(
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
function failureOf(
  ecosystem: string,
  facts: InstallFacts & { readonly lock: LockFacts | null },
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
  { repos, lock }: InstallFacts & { readonly lock: LockFacts | null },
  failed: readonly CloneFailure[],
): AmofError {
  const names = few(failed.map(({ name }) => `"${name}"`), 5);
  return new AmofError(
    "partial_failure",
    `Installed ${repos.length - failed.length} of ${count(repos.length, "repo")}, without ${names}`,
    {
      hint: [
        ...remediesByRepo(failed.map(({ name, error }) => ({ name, fix: error.hint }))),
        `When the cause is fixed, clone the rest: amof -e ${ecosystem} ${
          lock === null ? "sync" : `install ${lockedFlag(lock)}`
        }`,
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

interface InstallData {
  /** Relative to the control repository. */
  readonly workspace: string;
  readonly branch: string;
  readonly action: InstallFacts["action"];
  readonly repos: readonly InstalledRepo[];
  readonly pushed: boolean;
  /** What did not work but does not undo the install. */
  readonly notes: readonly string[];
  /** How each clone came to the commit of the lock; absent where no lock counts. */
  readonly locked?: readonly Pinned[];
}

/** The clones that a repair adds to a workspace; undefined where it does more than that. */
function addedBy(
  { action, prune, moved, state, repos, adopt, lock }:
    & Pick<
      InstallFacts,
      "action" | "prune" | "moved" | "state" | "repos"
    >
    & {
      readonly adopt: { readonly clones: readonly unknown[] };
      readonly lock: unknown;
    },
): ClonesAdded | undefined {
  const names = repos.filter(({ present }) => !present).map(({ name }) => name);
  const only = action === "repair" && prune === null && moved === null && state === "keep" &&
    adopt.clones.length === 0 &&
    lock === null;
  return only && names.length > 0 ? { ticket: null, repos: names } : undefined;
}

/** The failure of an install that left clones elsewhere than at their commits; nothing when it did not. */
function unpinned(
  pinned: readonly Pinned[],
  lock: LockFacts | null,
): { readonly failure?: AmofError } {
  const off = pinned.filter(({ result }) => result === "skipped" || result === "failed");
  const [first] = off;
  if (first === undefined) return {};
  return {
    failure: new AmofError(
      "partial_failure",
      `${few(off.map(({ name }) => `"${name}"`), 5)} ${
        off.length === 1 ? "is" : "are"
      } not at the commit of the lock: ${first.name}: ${cleanLine(first.detail, 160)}`,
      {
        hint: movesFrom(off, lock?.other ?? null),
        details: { repos: off.map(({ name, code, detail }) => ({ name, code, detail })) },
      },
    ),
  };
}

/** A table of where the clones are, those that are not where they should be first. */
function lockTable(locked: readonly Pinned[]): Table {
  const isOff = ({ result }: Pinned) => result === "skipped" || result === "failed";
  return table(
    ["repo", "locked at", "result", "detail"],
    [...locked.filter(isOff), ...locked.filter((row) => !isOff(row))].map((row) => [
      `${isOff(row) ? "✗ " : ""}${row.name}`,
      shortSha(row.commit),
      row.result,
      cleanLine(row.detail, 200),
    ]),
  );
}

/** `amof install`. */
export const install = mutation({
  name: "amof_install_ecosystem",
  path: ["install"],
  toolset: "ecosystem",
  scope: "ecosystem",
  safety: "dangerous-write",
  confirm: "simple",
  asks: { deed: "install", will: "create a workspace and clone its repositories" },
  runs: "install",
  locks: "ecosystem",
  openWorld: true,
  next: "after_install",
  title: "Install ecosystem",
  summary: "Create the workspace: a worktree on its own branch with every repository cloned.",
  description:
    "All or nothing: if a repository cannot be cloned, the other clones are ended and what was made is removed again. At a terminal you are asked first whether to keep what works; --keep-going keeps it without asking (exit code 5), and a later sync clones the rest. A remote without a commit becomes an empty clone. An existing workspace branch is attached. --repair completes an existing workspace. Repositories that are not selected are left for later: sync or --repair clones them. --locked does that, too, and puts every clone at the commit that the lock names; one with commits or changes of its own stays, with the reason (exit code 5). --adopt uses the clones in a directory where they are: the workspace gets links, and nothing of theirs is moved or changed.",
  flags: SELECTION_FLAGS,
  instead: { force: "Complete or rebuild what is there: amof install --repair" },
  examples: [
    "install",
    "-e demo install --dry-run",
    "install --keep-going",
    "install --repair --yes",
    "install --locked --yes",
    "install --adopt ~/code --dry-run",
    "install --tag backend",
  ],
  input: (z) => ({
    ...selectionInput(z),
    push: z.boolean().default(false).describe(
      "Also push the workspace branch",
    ),
    repair: z.boolean().default(false).describe(
      "Complete what is there",
    ),
    keep_going: z.boolean().default(false).describe("Keep what works"),
    adopt: onlyTyped(
      z.string().min(1).optional().describe(
        "Directory whose clones are used where they are, by links",
      ),
    ),
    locked: z.boolean().default(false).describe("Go to the commits of the lock"),
    lock_file: onlyTyped(
      z.string().min(1).optional().describe("Another file than lock.json"),
    ),
    ...foldingInput(z),
    allow_no_touch: allowNoTouch(z),
  }),
  raised: (input) => input.allow_no_touch === undefined ? null : { confirm: "type" },
  async preview(ctx, input) {
    if (isLocked(input) && input.adopt !== undefined) {
      throw new AmofError("invalid_arguments", "Cannot use --adopt together with --locked", {
        hint: "Adopt the clones first, then: amof install --locked",
        details: { field: "adopt" },
      });
    }
    const complete = { ...input, repair: input.repair || isLocked(input) };
    const { facts: found, manifest } = await planInstall(ctx, complete);
    const lock = await lockFor(ctx, manifest, { input, found });
    const adopt = await adoptionFor(ctx, manifest, found, input.adopt);
    const adopted = new Set(adopt.clones.map(({ name }) => name));
    const missing = found.repos.filter((repo) => !repo.present && !adopted.has(repo.name));
    const done = found.action === "repair" && missing.length === 0 && adopted.size === 0 &&
      found.moved === null && found.state === "keep" && !found.push;
    const pins = lock === null ? [] : await pinsAhead(ctx, manifest, found, lock);
    const facts = { ...found, lock, adopt, pins, done };
    const still = pins.flatMap(pinnedAlready);
    const { before, adopted: links, anew, clones, after } = effectsOf(
      ctx.ecosystem,
      facts,
      missing,
    );
    return {
      facts,
      summary: done && lock !== null
        ? `Would put ${count(pins.length - still.length, "clone")} at the commits of the lock.`
        : `Would ${facts.action === "repair" ? "repair" : "install"} ${ctx.ecosystem} with ${
          adopted.size === 0
            ? count(missing.length, "clone")
            : missing.length === 0
            ? count(adopted.size, "adopted clone")
            : `${count(missing.length, "clone")} and ${adopted.size} adopted`
        }.`,
      effects: [...before, ...links, ...anew, ...clones, ...after],
      details: [
        ...before,
        ...foldedLines(links, adoptedInOne(facts.adopt.clones), input),
        ...anew,
        ...foldedLines(clones, clonesInOne(missing), input),
        ...after,
      ],
      current: facts.action === "repair"
        ? `The workspace exists${facts.moved === null ? "" : ", its link leads to where it was"}, ${
          count(missing.length, "clone")
        } missing`
        : "No workspace exists",
      alternatives: [
        `Describe it first: amof -e ${ctx.ecosystem} ecosystem describe`,
        "Preview only: amof install --dry-run",
      ],
      ...(done && still.length === pins.length
        ? {
          settled: {
            data: {
              workspace: facts.workspace,
              branch: facts.branch,
              action: facts.action,
              repos: facts.repos.map((repo) => installRow(repo, { empty: [], failed: [] })),
              pushed: false,
              notes: [],
              ...(lock === null ? {} : { locked: still }),
            },
            ...unpinned(still, lock),
            ...failureOf(ctx.ecosystem, facts, []),
          },
        }
        : {}),
    };
  },
  undo: {
    changes: (facts) => ({
      repos: [],
      what: "names",
      adds: addedBy(facts),
      // A workspace that is repaired existed before and may be in use.
      makes: facts.action === "repair" ? undefined : {
        ticket: null,
        branch: facts.action === "create" ? facts.branch : null,
        repos: facts.repos.filter(({ present }) => !present).map(({ name }) => name),
        adopted: facts.adopt.clones.map(({ name }) => name),
      },
    }),
    irreversible: (facts) =>
      facts.action === "repair"
        ? addedBy(facts) === undefined
          ? facts.done
            ? "where clones were moved to; bring them to the newest: amof sync"
            : "what is installed; the whole workspace goes with: amof discard"
          : "what was repaired besides"
        : facts.push
        ? "the workspace branch that is pushed"
        : facts.asked.length > 0
        ? "base branches that are written into the manifest"
        : null,
  },
  async execute(ctx, input, facts) {
    const { asked } = facts;
    const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
    const { directory } = await findWorkspace(ctx, ctx.root, manifest);
    const damaged = facts.state !== "keep" &&
      await ctx.system.files.lstat(stateFile(directory)) !== null;
    const { lock } = facts;
    const adopted = new Set(facts.adopt.clones.map(({ name }) => name));
    await ctx.perform([
      ...await workspaceSteps(ctx, manifest, facts, {
        directory,
        contents: null,
        keepGoing: input.keep_going || keepingLine(input),
        adopted: facts.adopt.clones,
      }),
      ...(lock === null ? [] : await pinSteps(ctx, directory, pinsOf(manifest, facts, lock))),
    ]);
    const { empty, failed } = cloneOutcome(ctx);
    const notes = [
      ...(damaged ? ["The damaged state was kept as .amof/state.json.corrupt-…"] : []),
      ...(empty.length === 0
        ? []
        : [`${list(empty)}: the remote has no commit yet; commit there and push the first one`]),
      ...wroteBranches(asked, manifestFile(ctx.ecosystem)),
    ];
    const pushed = facts.push && await pushWorkspaceBranch(ctx, directory, facts.branch, notes);
    return {
      data: {
        workspace: facts.workspace,
        branch: facts.branch,
        action: facts.action,
        repos: facts.repos.map((repo) => {
          const row = installRow(repo, cloneOutcome(ctx));
          return adopted.has(repo.name) ? { ...row, result: "adopted" as const } : row;
        }),
        pushed,
        notes,
        ...(lock === null ? {} : { locked: pinOutcome(ctx) }),
      },
      ...unpinned(pinOutcome(ctx), facts.lock),
      ...failureOf(ctx.ecosystem, facts, failed),
    };
  },
  render: (data: InstallData, input) => {
    const cloned = data.repos.filter((repo) => repo.result === "cloned").length;
    const adopted = data.repos.filter((repo) => repo.result === "adopted").length;
    const failed = data.repos.filter((repo) => repo.result === "failed").length;
    const verb = data.action === "repair" ? "Repaired" : "Installed";
    return {
      summary: `${verb} ${data.workspace} with ${
        count(data.repos.length, "repo")
      }, ${cloned} cloned${adopted === 0 ? "" : `, ${adopted} adopted`}${
        failed === 0 ? "" : `, ${failed} failed`
      }.`,
      details: [
        `Workspace: ${data.workspace} (branch ${data.branch})`,
        ...(data.repos.length === 0 ? [] : ["", repoTable(data.repos, input.all === true)]),
        ...(data.locked === undefined ? [] : ["", lockTable(data.locked)]),
        ...data.notes.map((note) => `⚠ ${note}`),
      ],
    };
  },
});

/** Pushes the workspace branch; a failure is noted and undoes nothing. */
async function pushWorkspaceBranch(
  ctx: ExecuteContext,
  directory: string,
  branch: string,
  notes: string[],
): Promise<boolean> {
  const head = await ctx.git.at(directory).refs.resolve("HEAD");
  const outcome = head === null ? null : await ctx.git.at(directory).remotes.push({
    commit: head,
    branch,
    onLine: logLines(ctx.report.log, "control repository", { stdout: "info", stderr: "info" }),
  });
  if (outcome?.ok) {
    await ctx.git.at(directory, "control repository").branches.setUpstream(
      branch,
      `origin/${branch}`,
    );
    return true;
  }
  notes.push(`The branch ${branch} was not pushed; the workspace is complete without that`);
  return false;
}
