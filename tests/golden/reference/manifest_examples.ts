/**
 * An example for every key that people write in a manifest or in `amof.yaml`: what stands at the place of the key.
 *
 * @module
 */

import { asObject } from "./schema_types.ts";

/** What the examples of a manifest are written into. */
export const SAMPLE_MANIFEST = `name: shop
repos:
  - name: api
    url: https://example.com/shop/api.git
  - name: web
    url: https://example.com/shop/web.git
`;

/** Examples of `ecosystem.yaml` by the path of the key: YAML of one line. */
export const MANIFEST_EXAMPLES: Readonly<Record<string, string>> = {
  "name": "name: shop",
  "ecosystem": "ecosystem: shop",
  "description": "description: The web shop and what it needs",
  "workspace_dir": "workspace_dir: worktrees/shop-work",
  "clone": "clone: blobless",
  "mirrors": "mirrors: true",
  "engine": "engine: cluster",
  "provisioner": "provisioner: local",
  "provisioner_env": "provisioner_env: [KUBECONFIG]",
  "retired": "retired: true",
  "repos": "repos: [{ name: api, url: https://example.com/shop/api.git }]",
  "repos[].name": "name: api",
  "repos[].url": "url: git@example.com:shop/api.git",
  "repos[].branch": "branch: main",
  "repos[].path": "path: services/api",
  "repos[].readonly": "readonly: true",
  "repos[].enabled": "enabled: false",
  "repos[].tags": "tags: [backend, payments]",
  "repos[].depends_on": "depends_on: [web]",
  "repos[].clone": "clone: shallow:50",
  "repos[].carry": 'carry: [.env, "config/*.local"]',
  "repos[].sparse": "sparse: [src/api, docs]",
  "repos[].lfs": "lfs: true",
  "repos[].submodules": "submodules: true",
  "repos[].include": 'include: ["src/**"]',
  "repos[].exclude": 'exclude: ["dist/**"]',
  "tasks": "tasks: { test: { run: [make, test] } }",
  "tasks.NAME.description": "description: Unit tests",
  "tasks.NAME.run": "run: [deno, task, test]",
  "tasks.NAME.shell": 'shell: "make lint | tee lint.log"',
  "tasks.NAME.repos": 'repos: ["svc-*", "!web"]',
  "tasks.NAME.tags": "tags: [backend]",
  "tasks.NAME.only": "only: [dirty]",
  "tasks.NAME.env": "env: [DATABASE_URL]",
  "tasks.NAME.order": "order: layers",
  "tasks.NAME.timeout": "timeout: 10m",
  "groups": "groups: { storefront: [api, web] }",
  "workspace": "workspace: { per_ticket: true }",
  "workspace.branch_prefix": "branch_prefix: work",
  "workspace.repo_branch_prefix": "repo_branch_prefix: topic",
  "workspace.per_ticket": "per_ticket: true",
  "guardrails": 'guardrails: { no_touch_paths: ["*.lock"] }',
  "guardrails.no_touch_paths": 'no_touch_paths: [legal/**, "*.lock"]',
  "undo": "undo: { days: 3, mb: 100 }",
  "undo.keep": "keep: false",
  "undo.days": "days: 3",
  "undo.runs": "runs: 20",
  "undo.mb": "mb: 100",
  "forges": "forges: { git.example.com: gitlab }",
  "review": "review: { labels: [team-shop], method: squash }",
  "review.draft": "draft: true",
  "review.labels": "labels: [team-shop]",
  "review.reviewers": "reviewers: [ada, shop/backend]",
  "review.method": "method: squash",
  "tickets": "tickets: { update: rebase }",
  "tickets.update": "update: rebase",
  "devcontainer": "devcontainer: { enabled: true }",
  "devcontainer.enabled": "enabled: true",
  "context": "context: { max_files: 200 }",
  "context.max_files": "max_files: 200",
  "context.summary_tokens": "summary_tokens: 4000",
  "actors": "actors: [planner]",
  "components": "components: { cart: { repo: api } }",
  "manifest_source": "manifest_source: generated",
};

/** Examples of `amof.yaml` by the path of the key. */
export const CONFIG_EXAMPLES: Readonly<Record<string, string>> = {
  "release": "release: { changelog: CHANGES.md }",
  "release.version_files": "version_files: [package.json, { path: app.ini, pattern: 'version=(.*)' }]",
  "release.version_files[].path": "path: charts/shop/Chart.yaml",
  "release.version_files[].pattern": "pattern: '^appVersion: (.*)$'",
  "release.changelog": "changelog: docs/CHANGES.md",
  "release.branches": "branches: [main, release/*]",
};

/** One step of a path: a member, an item of a list, or a member of any name. */
function steps(path: string): string[] {
  return path.replaceAll("[]", ".[]").split(".");
}

/** Members of other examples that an example needs beside it to be complete. */
const BESIDE: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "repos": { url: "https://example.com/shop/api.git", name: "api" },
  "tasks": { run: ["make", "test"] },
  "release.version_files": { path: "charts/shop/Chart.yaml" },
};

/**
 * A document that holds an example at its place and is complete without anything else but what `base` has.
 *
 * @param parsed The example, parsed: one member with its value.
 */
export function around(
  path: string,
  parsed: Readonly<Record<string, unknown>>,
  base: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const parents = steps(path).slice(0, -1);
  const place = parents.filter((step) => step !== "[]" && step !== "NAME").join(".");
  const beside = Object.hasOwn(parsed, "shell") ? {} : BESIDE[place] ?? {};
  const whole = parents.toReversed().reduce<unknown>(
    (inner, step) => step === "[]" ? [inner] : { [step === "NAME" ? "check" : step]: inner },
    { ...beside, ...parsed },
  );
  const document = { ...base, ...asObject(whole) };
  const [given, others] = [document["repos"], base["repos"]];
  // The other repositories stay, because examples name them.
  return parents[0] === "repos" && Array.isArray(given) && Array.isArray(others)
    ? { ...document, repos: [...given, ...others.slice(1)] }
    : document;
}
