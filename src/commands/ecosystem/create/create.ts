/**
 * `amof ecosystem create`: scaffolds a valid manifest with its folders (WORKSPACE-13).
 *
 * The user's branch stays where it is; a commit is made only when asked for.
 */

import { shortSha, SLUG } from "../../../base/ids.ts";
import { join } from "@std/path";
import { AmofError } from "../../../base/error.ts";
import { foldingInput } from "../../../contract/input.ts";
import { type CommandContext, mutation, onlyTyped } from "../../../contract/mod.ts";
import { timestamp } from "../../../base/system/mod.ts";
import { maskSecrets } from "../../../base/text/mask.ts";
import { foldedRepos, type Part } from "../../../base/text/parts.ts";
import { table } from "../../../base/text/table.ts";
import { count, list, shellWord } from "../../../base/text/words.ts";
import { keptTouches, lockFile, touches, touchText } from "../../../workspace/manifest/mod.ts";
import { flagsFor } from "../../advice/command_lines.ts";
import { refuseLinked } from "../../../workspace/mod.ts";
import { guardOfControl } from "../../outgoing/contents.ts";
import { LIST_KINDS } from "../../../workspace/import/mod.ts";
import { type Coming, comingFrom, type ComingInput } from "./coming.ts";
import { FORGES } from "./from/org.ts";
import { filesOf, type Founded, type GivenRepo, parseRepo, scaffoldStep } from "./scaffold.ts";

async function refuseExisting(ctx: CommandContext, name: string): Promise<void> {
  const entries = await ctx.system.files.list(join(ctx.root, "ecosystems"));
  // Names that differ only in case would be one directory on some systems.
  const twin = entries.find((entry) => entry.name.toLowerCase() === name.toLowerCase());
  if (twin === undefined) return;
  await refuseLinked(ctx.system, ctx.root, twin.name);
  throw new AmofError(
    "ecosystem_exists",
    `Cannot create "${name}": ecosystems/${twin.name} exists`,
    {
      hint: `Describe it: amof ecosystem describe ${twin.name}`,
      details: { ecosystem: twin.name },
    },
  );
}

/** Refuses to commit files that an ecosystem of the control repository guards, unless they are let go. */
async function refuseGuarded(
  ctx: CommandContext,
  name: string,
  files: readonly string[],
  allowed: readonly string[],
): Promise<void> {
  const found = touches(await guardOfControl(ctx.system, ctx.root), files, allowed);
  if (found.length === 0) return;
  const globs = [...new Set(found.map(({ glob }) => glob))];
  throw new AmofError(
    "push_refused",
    `Cannot create "${name}" with a commit: it would commit no-touch paths: ${touchText(found)}`,
    {
      hint: `Leave the commit out: amof ecosystem create ${name}\n` +
        `Only a person at a terminal can let it go: the same command with ${
          flagsFor("--allow-no-touch", globs)
        }`,
      details: { ecosystem: name, touches: keptTouches(found) },
    },
  );
}

interface CreateData {
  readonly name: string;
  readonly path: string;
  readonly files: readonly string[];
  readonly commit: string | null;
  readonly repos: readonly Pick<GivenRepo, "name" | "url" | "branch">[];
  /** What the repositories were taken from; absent where they were named one by one, and with it the rest. */
  readonly source?: string;
  readonly kind?: string;
  readonly left_out?: Coming["leftOut"];
  readonly notes?: readonly string[];
}

/** What a confirmation is bound to; a type alias, so that it counts as plain JSON. */
type CreateFacts = {
  readonly name: string;
  readonly files: readonly string[];
  readonly repos: readonly string[];
  readonly commit: boolean;
  /** Where the repositories come from, and what they are; null where they are named one by one. */
  readonly coming: Coming | null;
};

/** Everything that says where repositories come from, which cannot be said twice. */
function refuseTwoSources(input: ComingInput & { readonly repos: readonly string[] }): void {
  const given = [
    ...(input.repos.length > 0 ? ["--repo"] : []),
    ...(input.from === undefined ? [] : ["--from"]),
    ...(input.from_org === undefined ? [] : ["--from-org"]),
  ];
  if (given.length < 2) return;
  throw new AmofError("invalid_arguments", `Cannot use ${list(given)} together`, {
    hint: "Take the repositories from one place, and add others to the manifest afterwards",
    details: { field: "from" },
  });
}

/** What the ecosystem is made of. */
function foundedBy(
  ctx: CommandContext,
  { name, description, repos }: {
    readonly name: string;
    readonly description: string;
    readonly repos: readonly string[];
  },
  coming: Coming | null,
): Founded {
  return {
    name,
    description,
    repos: coming?.repos ?? repos.map(parseRepo),
    groups: coming?.groups ?? {},
    locked_at: timestamp(ctx.system.clock.now()),
  };
}

/** How a repository that comes from somewhere is told in a preview. */
function repoLine({ name, url, branch, commit, enabled }: GivenRepo): string {
  const at = commit === undefined ? "" : ` at ${shortSha(commit)}`;
  const off = enabled === false ? ", switched off" : "";
  return `Take ${name}: ${maskSecrets(url)}, ${branchWords(branch)}${at}${off}`;
}

function branchWords(branch: GivenRepo["branch"]): string {
  return branch ?? "the branch its remote checks out";
}

/** What of the list is not in the manifest, and what nobody could find out. */
function noteLines(notes: readonly string[]): string[] {
  return notes.length === 0
    ? []
    : ["Not carried over, or to be looked at:", ...notes.map((note) => `- ${note}`)];
}

/** `amof ecosystem create`. */
export const createEcosystem = mutation({
  name: "amof_create_ecosystem",
  path: ["ecosystem", "create"],
  toolset: "ecosystem",
  scope: "global",
  safety: "safe-write",
  confirm: "none",
  runs: "create_ecosystem",
  inline: true,
  locks: "ecosystem",
  needs: "a repository",
  openWorld: true,
  title: "Create ecosystem",
  summary: "Scaffold a new ecosystem with a valid manifest.",
  positionals: ["name"],
  flags: { repos: "repo" },
  examples: [
    "ecosystem create shop --repo api=https://host/api.git@main",
    "ecosystem create shop --commit",
    "ecosystem create shop --from ~/code",
    "ecosystem create shop --from west.yml --dry-run",
    "ecosystem create shop --from-org acme",
  ],
  description:
    "--from takes the repositories over from a directory of clones, which stays as it is, or from a list that another tool keeps: .repos of vcs2l, west.yml, the XML of repo, mani.yaml, .meta, repos.csv of gita, .code-workspace, .gitmodules of a repository with submodules, or a lock of amof. Everything that is not carried over is listed. Remotes are asked for their default branch; --offline asks none.",
  input: (z) => ({
    name: z.string().regex(
      SLUG,
      'must be letters, digits, ".", "_", "-", beginning with a letter or digit',
    ).describe("Its name"),
    description: z.string().max(1000).default("").describe("One line"),
    repos: z.array(z.string()).default([]).describe("Each as name=url[@branch][:ro]"),
    commit: z.boolean().default(false).describe("Commit it"),
    from: z.string().min(1).optional().describe(
      "Clones or list to take over",
    ),
    kind: onlyTyped(
      z.enum(["auto", ...LIST_KINDS]).default("auto").describe("Which tool wrote the list"),
    ),
    from_org: onlyTyped(
      z.string().regex(
        /^[A-Za-z0-9][A-Za-z0-9._/-]{0,200}$/,
        "must be the name of an organisation, group or user",
      ).optional().describe("Organisation, group or user whose repositories gh or glab lists"),
    ),
    forge: onlyTyped(
      z.enum(FORGES).optional().describe("Which program lists them; gh where it is installed"),
    ),
    archived: onlyTyped(
      z.boolean().default(false).describe("Also take archived repositories, read-only"),
    ),
    forks: onlyTyped(z.boolean().default(false).describe("Also take forks")),
    offline: onlyTyped(
      z.boolean().default(false).describe("Ask no remote for branches and tags"),
    ),
    allow_no_touch: onlyTyped(
      z.array(z.string().min(1)).optional().describe("Commit this no-touch path or glob, too"),
    ),
    ...foldingInput(z),
  }),
  async preview(ctx, input) {
    await refuseExisting(ctx, input.name);
    refuseTwoSources(input);
    const coming = input.from === undefined && input.from_org === undefined
      ? null
      : await comingFrom(ctx, input);
    const founded = foundedBy(ctx, input, coming);
    const { repos } = founded;
    const files = await filesOf(ctx, founded);
    if (input.commit) await refuseGuarded(ctx, input.name, files, input.allow_no_touch ?? []);
    const effectsOf = <P>(taken: readonly P[]): (P | string)[] => [
      ...files.map((file) => `Write ${file}`),
      ...(coming === null ? [] : taken),
      ...(coming?.leftOut ?? []).map(({ what, reason }) => `Leave out ${what}: ${reason}`),
      ...noteLines(coming?.notes ?? []),
      ...(input.commit ? [`Commit "Create ecosystem: ${input.name}"`] : []),
    ];
    return {
      facts: {
        name: input.name,
        files,
        repos: repos.map((repo) => repo.name),
        commit: input.commit,
        coming,
      },
      summary: `Would create ${input.name} with ${count(repos.length, "repo")}.`,
      effects: effectsOf(repos.map(repoLine)),
      details: effectsOf(
        foldedRepos(repos, repoLine, {
          all: input.all,
          brief: ({ name, branch }) => `Take ${name}, ${branchWords(branch)}`,
        }),
      ),
      current: `ecosystems/${input.name} does not exist`,
      alternatives: ["List what exists: amof ecosystem list"],
    };
  },
  async execute(ctx, input, { coming }: CreateFacts) {
    const founded = foundedBy(ctx, input, coming);
    const { step, files } = await scaffoldStep(ctx, founded, input.commit);
    await ctx.perform([step]);
    const commit = input.commit ? await ctx.git.at(ctx.root).refs.resolve("HEAD") : null;
    return {
      data: {
        name: input.name,
        path: `ecosystems/${input.name}`,
        files,
        commit,
        repos: founded.repos.map(({ name, branch, url }) => ({
          name,
          branch,
          url: maskSecrets(url),
        })),
        ...(coming === null ? {} : {
          source: coming.source,
          kind: coming.kind,
          left_out: coming.leftOut,
          notes: coming.notes,
        }),
      },
    };
  },
  render: (data: CreateData, input) => ({
    summary: `Created ${data.name}${
      data.source === undefined ? "" : ` with ${count(data.repos.length, "repo")}`
    }${data.commit === null ? "" : ` and committed it as ${shortSha(data.commit)}`}.`,
    details: [
      ...data.files,
      ...(data.source === undefined ? [] : sourceParts(data, input.all === true)),
      ...nextLines(data),
    ],
  }),
});

/** What came, what did not, and what is not carried over. */
function sourceParts(data: CreateData, all: boolean): Part[] {
  const { name, repos, left_out: leftOut = [], notes = [] } = data;
  const came = table(
    ["repo", "branch", "url"],
    repos.map(({ name: repo, branch, url }) => [repo, branch ?? "", url]),
  );
  return [
    "",
    all ? came : came.folding((index) => (repos[index]?.branch ?? "") !== "", "taken over"),
    ...(leftOut.length === 0 ? [] : [
      "",
      table(["left out", "reason"], leftOut.map(({ what, reason }) => [what, reason])),
      ...leftOut.flatMap(({ what, fix, add }) =>
        [fix, add?.replace(/^amof /, `amof -e ${name} `)].filter((line) => line !== undefined)
          .map((line, at) => `${at === 0 ? `To take ${what}` : "Then"}: ${line}`)
      ),
    ]),
    ...(notes.length === 0 ? [] : ["", ...noteLines(notes)]),
  ];
}

/** What comes next: the commit without which a list is in no workspace, and two ways from clones that are there. */
function nextLines({ name, commit, kind, files, source = "" }: CreateData): string[] {
  const subject = shellWord(`Create ecosystem: ${name}`);
  const lines = [
    ...(commit === null
      ? ["Commit it:", "  git add :/ecosystems", `  git commit -m ${subject}`]
      : []),
    ...(files.includes(lockFile(name))
      ? [`Install what is pinned at its pins: amof -e ${name} install --locked`]
      : []),
    ...(kind !== "directory" ? [] : [
      `Use these clones where they are: amof -e ${name} install --adopt ${shellWord(source)}`,
      `Or make clones of its own: amof -e ${name} install`,
    ]),
  ];
  return lines.length === 0 ? [] : ["", ...lines];
}
