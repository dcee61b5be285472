/**
 * Brings the mirror of a repository up to date in a process of its own and prints what became of it. Arguments: the
 * environment and the repository, as JSON.
 *
 * @module
 */

import { Git } from "../../../src/git/mod.ts";
import { layoutOf } from "../../../src/base/system/layout.ts";
import { openStore } from "../../../src/state/store/open.ts";
import type { System } from "../../../src/base/system/mod.ts";
import { realSystem } from "../../../src/base/system/real/mod.ts";
import { freshMirror } from "../../../src/workspace/mirrors/mod.ts";
import type { Repo } from "../../../src/workspace/manifest/manifest.ts";
import { rememberingReporter } from "../_support.ts";

const { env, repo, fresh } = JSON.parse(Deno.args[0] ?? "") as {
  readonly env: Readonly<Record<string, string>>;
  readonly repo: Repo;
  readonly fresh: number;
};
const real = realSystem();
const system: System = { ...real, env: { ...real.env, get: (name) => env[name] } };
const layout = layoutOf(system.env);
const ctx = {
  system,
  git: new Git(system),
  layout,
  report: rememberingReporter(),
  signal: new AbortController().signal,
  store: () => Promise.resolve(openStore(layout.database)),
};
system.terminal.out((await freshMirror(ctx, repo, { fresh }))?.result ?? "none");
