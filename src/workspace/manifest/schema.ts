/** The shape of `ecosystem.yaml` (WORKSPACE-5). Its JSON Schema is published for editors. */

import { SLUG } from "../../base/ids.ts";
import type { z as Zod } from "zod";
import { type JsonSchema, toJsonSchema } from "../../contract/input.ts";
import type { ZodNamespace } from "../../contract/mod.ts";
import { tasksSchema } from "./tasks.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { didYouMean } from "../../base/text/words.ts";
import { type Mistake, mistake, type Steps } from "./shape.ts";

/** How a manifest says how much history clones get. */
const CLONE = /^(?:full|blobless|shallow:[1-9][0-9]{0,6})$/;

/** A directory of a repository: no pattern, nothing above it, nothing that git or a shell reads in another way. */
const DIRECTORY =
  /^(?![-/!#])(?!(?:.*\/)?\.{1,2}(?:\/|$))(?!(?:.*\/)?\.git(?:\/|$))[^\p{Cc}\\*?[\]"]+$/iu;

/** Said of what is checked for its type, and passed over. */
const ELSEWHERE = "for other programs, and passed over here";

/** The schema; unknown keys pass, they are reported as warnings elsewhere. */
export function manifestSchema(z: ZodNamespace): ManifestSchema {
  return build(z);
}

/** The type of the schema, which only its own construction can spell. */
export type ManifestSchema = ReturnType<typeof build>;

/** A name as paths, branches and selections may have it. */
function slug(z: ZodNamespace, what: string) {
  return z.string().regex(
    SLUG,
    `must be a ${what}: letters, digits, ".", "_", "-", at most 64, beginning with a letter or digit`,
  );
}

/** How much history clones get. */
function clone(z: ZodNamespace) {
  return z.string().regex(
    CLONE,
    'must be "full", "blobless" or "shallow:N" with a number of commits',
  );
}

function repoSchema(z: ZodNamespace) {
  const globs = z.array(z.string()).describe(`Globs of files; ${ELSEWHERE}`);
  return z.looseObject({
    name: slug(z, "repository name").describe("Unique name of the repository"),
    url: z.string().min(1, "must not be empty").describe("Where to clone from"),
    branch: z.string().min(1, "must not be empty").optional().describe(
      "Base branch to track; the remote is asked when absent",
    ),
    path: z.string().min(1, "must not be empty").optional()
      .describe("Directory of the clone, relative to the workspace; repos/<name> when absent"),
    readonly: z.boolean().optional().describe(
      "Never gets a feature branch and is never pushed; false when absent",
    ),
    enabled: z.boolean().optional().describe(
      "False leaves the repository out everywhere; true when absent",
    ),
    tags: z.array(slug(z, "tag")).optional().describe("What --tag selects it by"),
    depends_on: z.array(z.string()).optional().describe(
      "Names of repositories that come first where order matters",
    ),
    clone: clone(z).optional().describe(
      "How much history its clones get: full, blobless or shallow:N; that of the ecosystem when absent",
    ),
    carry: z.array(z.string().min(1, "must not be empty")).optional().describe(
      "Patterns of ignored files that are copied into the workspaces of tickets, besides those of .worktreeinclude",
    ),
    sparse: z.array(
      z.string().regex(DIRECTORY, "must be a directory inside the repository, such as src/api"),
    ).optional().describe(
      "Directories that new clones have, with the files at the top; all of it when absent",
    ),
    lfs: z.boolean().optional().describe(
      "Whether tickets share what git-lfs fetches, once for all of them; false when absent",
    ),
    submodules: z.boolean().optional().describe(
      "Whether clones get their submodules; false when absent",
    ),
    include: globs.optional(),
    exclude: globs.optional(),
  });
}

/** What an ecosystem is called, where it lies, and what its clones and environments are made with. */
function ownMembers(z: ZodNamespace) {
  return {
    name: slug(z, "name").optional().describe("Must equal the directory name"),
    ecosystem: slug(z, "name").optional().describe("Older alias of name"),
    description: z.string().optional().describe("Shown by list"),
    workspace_dir: z.string().min(1, "must not be empty").optional()
      .describe(
        "Directory of the workspace, relative to the control repository; worktrees/<name> when absent",
      ),
    clone: clone(z).optional().describe(
      "How much history clones get: full, blobless (old contents come when they are needed) or shallow:N commits; full when absent",
    ),
    mirrors: z.boolean().optional().describe(
      "Whether clones on one machine share a copy of what the remotes have; false when absent",
    ),
    engine: slug(z, "name of an engine").optional().describe(
      "The engine that is meant where work is divided into shards and none is named; its owner describes it in the user file",
    ),
    provisioner: slug(z, "provisioner name").optional().describe(
      "Directory below provisioners/ with a spin.sh",
    ),
    provisioner_env: z.array(
      z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of an environment variable"),
    )
      .optional().describe("Names of environment variables passed on to the provisioner"),
    retired: z.boolean().optional().describe(
      "Retired ecosystems are left out of lists; false when absent",
    ),
  };
}

/** How people work in it, and what it keeps from them. */
function workingMembers(z: ZodNamespace) {
  return {
    workspace: z.looseObject({
      branch_prefix: z.string().optional().describe(
        "Prefix of the workspace branch; workspace when absent",
      ),
      repo_branch_prefix: z.string().optional().describe(
        "Prefix of feature branches; feature when absent",
      ),
      per_ticket: z.boolean().optional().describe(
        "Whether tickets are started in workspaces of their own; false when absent",
      ),
    }).optional().describe("How branches are called, and where tickets are worked on"),
    guardrails: z.looseObject({
      no_touch_paths: z.array(z.string()).optional().describe(
        "Globs of files whose changes are never pushed or committed; relative to each repository, ** for any directories, a directory with all below it, without a slash in every directory",
      ),
    }).optional().describe("What keeps files as they are"),
    undo: z.looseObject({
      keep: z.boolean().optional().describe(
        "Whether what runs did to repositories is kept, so that it can be undone; true when absent",
      ),
      days: z.int().min(1, "must be at least 1").optional().describe(
        "For how many days a run can be undone; what the user's settings say when absent, and never more",
      ),
      runs: z.int().min(1, "must be at least 1").optional().describe(
        "How many runs can be undone; what the user's settings say when absent, and never more",
      ),
      mb: z.int().min(1, "must be at least 1").optional().describe(
        "How many MB are kept for it; what the user's settings say when absent, and never more",
      ),
    }).optional().describe("How much is kept so that runs can be undone"),
    forges: z.record(z.string(), z.enum(["github", "gitlab", "gitea"])).optional().describe(
      "Which kind of forge a host is, where its name does not tell: git.example.com: gitlab",
    ),
    review: z.looseObject({
      draft: z.boolean().optional().describe(
        "Whether pull requests are opened as drafts; false when absent",
      ),
      labels: z.array(z.string().min(1, "must not be empty")).optional().describe(
        "Labels of new pull requests",
      ),
      reviewers: z.array(z.string().min(1, "must not be empty")).optional().describe(
        "Accounts that are asked for a review; at GitHub also teams, as owner/team",
      ),
      method: z.enum(["merge", "squash", "rebase"]).optional().describe(
        "How pull requests are landed; merge when absent",
      ),
    }).optional().describe("How pull requests are opened and landed"),
    tickets: z.looseObject({
      update: z.enum(["merge", "rebase"]).optional().describe(
        "How ticket update brings the base branch in; merge when absent",
      ),
    }).optional().describe("How tickets are worked on"),
  };
}

/** What is checked for its type, and belongs to other programs. */
function foreignMembers(z: ZodNamespace) {
  return {
    devcontainer: z.looseObject({
      enabled: z.boolean().optional().describe(`Whether there is one; ${ELSEWHERE}`),
    }).optional().describe(`A development container; ${ELSEWHERE}`),
    context: z.looseObject({
      max_files: z.int().min(1, "must be at least 1").optional().describe(
        `How many files at most; ${ELSEWHERE}`,
      ),
      summary_tokens: z.int().min(100, "must be at least 100").optional().describe(
        `How long a summary at most; ${ELSEWHERE}`,
      ),
    }).optional().describe(`Context for agents; ${ELSEWHERE}`),
    actors: z.array(z.unknown()).optional().describe(`Roles; ${ELSEWHERE}`),
    components: z.record(z.string(), z.unknown()).optional().describe(`Parts; ${ELSEWHERE}`),
    manifest_source: z.string().optional().describe(`Where it comes from; ${ELSEWHERE}`),
  };
}

function build(z: ZodNamespace) {
  return z.looseObject({
    ...ownMembers(z),
    repos: z.array(repoSchema(z)).describe("The repositories"),
    tasks: tasksSchema(z),
    groups: z.record(z.string(), z.array(z.string())).optional().describe(
      "Repositories that --tag selects by one name: shop: [api, web]",
    ),
    ...workingMembers(z),
    ...foreignMembers(z),
  });
}

/** A manifest as it is written in the file, after the shape was checked. */
export type RawManifest = Zod.output<ManifestSchema>;

/** A manifest whose members may be missing because they were wrong. */
export interface Draft extends
  Partial<
    Pick<
      RawManifest,
      | "name"
      | "ecosystem"
      | "workspace_dir"
      | "workspace"
      | "guardrails"
      | "context"
      | "groups"
      | "tasks"
    >
  > {
  readonly repos?:
    | readonly Partial<
      Pick<
        RawManifest["repos"][number],
        "name" | "url" | "branch" | "path" | "depends_on" | "enabled" | "readonly"
      >
    >[]
    | undefined;
}

/** The JSON Schema of manifests, for editors. */
export async function manifestJsonSchema(): Promise<JsonSchema> {
  const z = await import("../../contract/zod.ts");
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "amof ecosystem manifest",
    ...await toJsonSchema(manifestSchema(z)),
  };
}

// The rules of what a manifest says about repositories among each other: `depends_on` and `groups` (WORKSPACE-5).

/** How many repositories of a circle a message names. */
const MOST_NAMED = 8;

/** Names that no repository of the manifest has. */
function unknownNames(
  names: readonly string[],
  known: ReadonlySet<string>,
  at: Steps,
): Mistake[] {
  return names.flatMap((name, index) => {
    if (known.has(name)) return [];
    const near = didYouMean(name, [...known]);
    return [mistake(
      [...at, index],
      `There is no repository "${cleanLine(name, 60)}"`,
      near === null ? "Use names of this manifest, or remove it" : `Did you mean "${near}"?`,
    )];
  });
}

/** What each repository needs, by name. */
type Needs = ReadonlyMap<string, readonly string[]>;

/** The repositories that can never come after everything they need: those in circles, and those that need them. */
function neverReady(needs: Needs): Set<string> {
  const waiting = new Map([...needs].map(([name, needed]) => [name, new Set(needed)]));
  const neededBy = new Map<string, string[]>();
  for (const [name, needed] of waiting) {
    for (const one of needed) neededBy.set(one, [...neededBy.get(one) ?? [], name]);
  }
  const ready = [...waiting].filter(([, needed]) => needed.size === 0).map(([name]) => name);
  for (let name = ready.pop(); name !== undefined; name = ready.pop()) {
    waiting.delete(name);
    for (const next of neededBy.get(name) ?? []) {
      const left = waiting.get(next);
      if (left?.delete(name) && left.size === 0) ready.push(next);
    }
  }
  return new Set(waiting.keys());
}

/** The shortest way from a repository back to itself along what each needs, without its end; null where none is. */
function circleFrom(start: string, needs: Needs): string[] | null {
  const ways: (readonly string[])[] = [[start]];
  const seen = new Set<string>();
  for (let way = ways.shift(); way !== undefined; way = ways.shift()) {
    for (const next of needs.get(way[way.length - 1] ?? "") ?? []) {
      if (next === start) return [...way];
      if (!seen.has(next)) ways.push([...way, next]);
      seen.add(next);
    }
  }
  return null;
}

/** Repositories that need themselves, each circle once, at the first of its repositories. */
function circles(draft: Draft): Mistake[] {
  const repos = draft.repos ?? [];
  const names = new Set(repos.map(({ name }) => name));
  const needs = new Map(
    repos.map((
      { name, depends_on },
    ) => [name ?? "", (depends_on ?? []).filter((needed) => names.has(needed))]),
  );
  const stuck = neverReady(needs);
  const told = new Set<string>();
  return repos.flatMap(({ name }, index) => {
    if (name === undefined || told.has(name) || !stuck.has(name)) return [];
    const way = circleFrom(name, needs);
    if (way === null) return [];
    for (const one of way) told.add(one);
    const shown = way.length > MOST_NAMED ? [...way.slice(0, MOST_NAMED), "…"] : way;
    return [mistake(
      ["repos", index, "depends_on"],
      way.length === 1
        ? `"${name}" depends on itself`
        : `Repositories depend on each other in a circle: ${[...shown, name].join(" → ")}`,
      way.length === 1 ? "Remove it" : "Remove one of these",
    )];
  });
}

/** What is wrong with how the repositories of a manifest are put in relation. */
export function checkRelations(draft: Draft): Mistake[] {
  const repos = draft.repos ?? [];
  const known = new Set(repos.flatMap(({ name }) => name === undefined ? [] : [name]));
  return [
    ...repos.flatMap(({ depends_on }, index) =>
      unknownNames(depends_on ?? [], known, ["repos", index, "depends_on"])
    ),
    ...circles(draft),
    ...Object.entries(draft.groups ?? {}).flatMap(([group, names]) => [
      ...SLUG.test(group) ? [] : [{
        ...mistake(
          ["groups", group],
          `"${cleanLine(group, 60)}" cannot be the name of a group`,
          'Use letters, digits, ".", "_" and "-", beginning with a letter or digit',
        ),
        ofKey: true,
      }],
      ...unknownNames(names, known, ["groups", group]),
    ]),
  ];
}
