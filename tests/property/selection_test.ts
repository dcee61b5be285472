// What a selection means, against a naive model, over generated manifests, states and words.

import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { AmofError } from "../../src/base/error.ts";
import { branchName, repoName } from "../../src/base/ids.ts";
import type { RepoSnapshot } from "../../src/workspace/clones/inspect.ts";
import type { Manifest, Repo } from "../../src/workspace/manifest/manifest.ts";
import { select } from "../../src/commands/selection/selection.ts";
import { byState } from "../../src/commands/selection/by_state.ts";
import { through, wordsOf } from "../../src/commands/selection/words.ts";
import { selectTools } from "../support/select_tools.ts";
import { memoryWorld } from "../support/memory.ts";

const TAGS = ["backend", "web", "old", "svc-a"];
const GROUPS = ["shop", "web", "empty"];

const repos = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom("svc-a", "svc-b", "svc-c", "web", "docs", "a", "b.c", "Web2"),
    enabled: fc.boolean(),
    readonly: fc.boolean(),
    tags: fc.subarray(TAGS),
  }),
  { selector: ({ name }) => name },
);

const manifests = repos.chain((generated) =>
  fc.record({
    repos: fc.constant(generated),
    groups: fc.dictionary(
      fc.constantFrom(...GROUPS),
      fc.subarray(generated.map(({ name }) => name)),
      { maxKeys: 3, noNullPrototype: true },
    ),
  })
).map(({ repos, groups }): Manifest => ({
  name: "demo",
  description: "",
  workspaceDir: "worktrees/demo",
  workspaceBranch: "workspace/demo",
  featurePrefix: "feature",
  perTicket: false,
  engine: null,
  provisioner: null,
  provisionerEnv: [],
  retired: false,
  repos: repos.map(({ name, enabled, readonly, tags }): Repo => ({
    name: repoName(name),
    url: "",
    branch: branchName("main"),
    branchGiven: true,
    clone: "full",
    mirrored: false,
    carry: [],
    sparse: [],
    lfs: false,
    submodules: false,
    path: `repos/${name}`,
    readonly,
    enabled,
    tags,
    dependsOn: [],
    include: [],
    exclude: [],
  })),
  groups,
  tasks: [],
  noTouchPaths: [],
  ticketUpdate: "merge",
  forges: {},
  review: { draft: false, labels: [], reviewers: [], method: "merge" },
  undo: { on: true, days: null, runs: null, mb: null },
}));

const words = (from: readonly string[]) =>
  fc.array(
    fc.tuple(fc.constantFrom("", "", "", "!"), fc.constantFrom(...from))
      .map(([not, word]) => `${not}${word}`),
    { maxLength: 4 },
  );

const NAMES = ["svc-a", "svc-b", "web", "docs", "svc-*", "*", "?", "*e*", "."];

/** The model's pattern. */
const fits = (word: string, name: string) =>
  new RegExp(
    `^${word.replaceAll(".", "\\.").replaceAll("?", ".").replaceAll("*", ".*")}$`,
  ).test(name);

/** Whether words let something through, said in another way than the program does. */
function passes(given: readonly string[], fit: (word: string) => boolean): boolean {
  const yes = given.filter((word) => !word.startsWith("!"));
  const no = given.filter((word) => word.startsWith("!")).map((word) => word.slice(1));
  return !no.some(fit) && (yes.length === 0 || yes.some(fit));
}

/** What the model selects; null where a word or all of them together find nothing. */
function model(
  manifest: Manifest,
  here: string | null,
  given: { readonly repos: readonly string[]; readonly tags: readonly string[] },
): string[] | null {
  const named = (word: string, { name }: Repo) => word === "." ? name === here : fits(word, name);
  const tagged = (word: string, repo: Repo) =>
    [...TAGS, ...GROUPS].some((tag) =>
      fits(word, tag) &&
      (repo.tags.includes(tag) || (manifest.groups[tag] ?? []).includes(repo.name))
    );
  const bare = (word: string) => word.replace("!", "");
  const unknownName = given.repos.some((word) =>
    !manifest.repos.some((repo) =>
      (repo.enabled || word.startsWith("!")) && named(bare(word), repo)
    )
  );
  const known = [...Object.keys(manifest.groups), ...manifest.repos.flatMap(({ tags }) => tags)];
  const unknownTag = given.tags.some((word) => !known.some((tag) => fits(bare(word), tag)));
  if (unknownName || unknownTag) return null;
  const found = manifest.repos.filter((repo) =>
    repo.enabled && passes(given.repos, (word) => named(word, repo)) &&
    passes(given.tags, (word) => tagged(word, repo))
  ).map(({ name }): string => name);
  return found.length === 0 && given.repos.length + given.tags.length > 0 ? null : found;
}

Deno.test("select() finds what a naive model finds, by names, patterns, tags, groups and exclusions", async () => {
  await fc.assert(
    fc.asyncProperty(
      manifests,
      words(NAMES),
      words([...TAGS, ...GROUPS, "*", "s*"]),
      fc.constantFrom(",", " , ", null),
      fc.option(fc.constantFrom("web", "docs", "svc-a")),
      async (manifest, names, tags, joined, here) => {
        const standing = manifest.repos.some(({ name }) => name === here) ? here : null;
        const { system } = memoryWorld({
          cwd: standing === null ? "/elsewhere" : `/space/repos/${standing}/src`,
          files: Object.fromEntries([
            ["/elsewhere/x", ""],
            ...manifest.repos.map(({ path }) => [`/space/${path}/src/x`, ""]),
          ]),
        });
        const join = (list: readonly string[]) =>
          joined === null || list.length === 0 ? list : [list.join(joined)];
        const tools = selectTools(system);
        let found: string[] | null;
        try {
          const selected = await select(tools, { manifest, workspace: "/space", state: null }, {
            repos: join(names),
            tags: join(tags),
          });
          found = selected.map(({ name }) => name);
        } catch (error) {
          assertEquals(error instanceof AmofError && error.code, "repo_not_found");
          found = null;
        }
        assertEquals(found, model(manifest, standing, { repos: names, tags }));
      },
    ),
    { numRuns: 500 },
  );
});

/** A repository as it stands, out of what matters. */
interface Plain {
  readonly readonly: boolean;
  readonly kind: "missing" | "unreadable" | "clone";
  readonly branch: string | null;
  readonly changes: number;
  readonly unpushed: number;
  readonly behind: number | null;
  readonly busy: boolean;
}

const snapshots: fc.Arbitrary<Plain> = fc.record({
  readonly: fc.boolean(),
  kind: fc.constantFrom("missing", "unreadable", "clone"),
  branch: fc.constantFrom("main", "feature/X-1", "feature/X-2", null),
  changes: fc.nat(2),
  unpushed: fc.nat(1),
  behind: fc.option(fc.nat(1)),
  busy: fc.boolean(),
});

/** What each word means, by the plain members. */
const MEANS: Readonly<Record<string, (one: Plain) => boolean>> = {
  dirty: (one) => one.kind === "clone" && one.changes > 0,
  ahead: (one) => one.kind === "clone" && one.unpushed > 0,
  behind: (one) => one.kind === "clone" && one.behind === 1,
  diverged: (one) => one.kind === "clone" && one.unpushed > 0 && one.behind === 1,
  missing: (one) => one.kind === "missing",
  readonly: (one) => one.readonly,
  work: (one) =>
    one.kind === "clone" &&
    (one.changes > 0 || one.unpushed > 0 || one.busy || !["main", null].includes(one.branch)),
  "on:main": (one) => one.kind === "clone" && one.branch === "main",
  "on=feature/*": (one) => one.kind === "clone" && (one.branch ?? "").startsWith("feature/"),
};

Deno.test("the words of only say how a repository stands, as a naive model says it", () => {
  fc.assert(
    fc.property(fc.array(snapshots), words(Object.keys(MEANS)), (plain, given) => {
      const looked = plain.map((one): RepoSnapshot => {
        const there = one.kind === "clone";
        return {
          repo: {
            name: repoName("api"),
            url: "",
            branch: branchName("main"),
            branchGiven: true,
            clone: "full",
            mirrored: false,
            carry: [],
            sparse: [],
            lfs: false,
            submodules: false,
            path: "",
            readonly: one.readonly,
            enabled: true,
            tags: [],
            dependsOn: [],
            include: [],
            exclude: [],
          },
          directory: "",
          expectedBranch: "main",
          expectedFrom: null,
          remoteBase: "origin/main",
          goesAlong: null,
          barred: [],
          ofStash: false,
          pushesTo: null,
          release: null,
          former: [],
          loose: 0,
          baseGone: false,
          baseNow: null,
          parting: null,
          elsewhere: [],
          merged: null,
          landed: null,
          retracted: null,
          behindBase: 0,
          git: there
            ? {
              branch: one.branch,
              head: null,
              upstream: null,
              ahead: null,
              behind: one.behind,
              stashes: 0,
              changes: Array.from({ length: one.changes }, () => ({
                path: "x",
                conflicted: false,
              })),
            } as unknown as RepoSnapshot["git"]
            : null,
          unpushed: there ? one.unpushed : 0,
          updating: null,
          inProgress: there && one.busy ? "rebase" : null,
          fetchedMs: null,
          fetchedNothing: false,
          untrusted: [],
          absent: [],
          nested: [],
          confined: false,
          occupied: null,
          jj: false,
          missing: one.kind === "missing",
          address: null,
          misnamed: null,
          unsent: [],
          error: one.kind === "unreadable" ? new AmofError("git_failed", "no") : null,
        };
      });
      const keeps = byState("mcp", wordsOf("only", given));
      assertEquals(
        looked.map(keeps),
        plain.map((one) => passes(given, (word) => MEANS[word]?.(one) === true)),
      );
    }),
    { numRuns: 300 },
  );
});

Deno.test("through() lets all through that no word excludes where no word includes", () => {
  const odd = (word: { readonly text: string }) => word.text === "a";
  assertEquals(
    [[], ["!b"], ["!a"], ["b"], ["b", "a"], ["a", "!a"]].map((given) =>
      through(wordsOf("x", given), odd)
    ),
    [true, true, false, false, true, false],
  );
});
