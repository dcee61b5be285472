import { assert, assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import {
  doctor,
  evolvePropose,
  type EvolveProposeData,
  type EvolveProposeOptions,
  evolveRestore,
  type How,
  overlayEdit,
  overlayRebase,
  plan,
} from "../../../../support/pack_calls.ts";
import { confirmRequired } from "../../../../../src/apps/agentpack/error.ts";
import { fsKey } from "../../../../../src/apps/agentpack/identity.ts";
import type { Answer } from "../../../../../src/apps/agentpack/pack.ts";
import { assertCode } from "../../../../support/assert_code.ts";
import { deploy, setUp, yes } from "../../../../support/pack_fixture.ts";
import { PackWorld } from "../../../../support/pack_world.ts";

const CODEX =
  "  codex: { mode: files, scope: user, options: { write_user_prompts: true, write_prompt_skills: false } }";

async function propose(
  world: PackWorld,
  options: Partial<EvolveProposeOptions> & How = {},
  selection = {},
): Promise<Answer<EvolveProposeData>> {
  const pack = options.dryRun ? world.reader() : world.pack();
  return await evolvePropose(pack, selection, {
    scope: "global",
    dryRun: false,
    approve: yes,
    ...options,
  });
}

async function deployed(targets = CODEX, profile = "default"): Promise<PackWorld> {
  const world = await PackWorld.make();
  await setUp(world, targets);
  await deploy(world, { profile });
  await world.commitRepo();
  return world;
}

/** The created proposal, or a failure that says why there is none. */
function created(answer: Answer<EvolveProposeData>) {
  const { data } = answer;
  if (!data.created) throw new Error(JSON.stringify(data));
  return data;
}

Deno.test("evolvePropose() has nothing to do without edits", async () => {
  await using world = await deployed();
  const refuse = () => Promise.reject(confirmRequired("evolve propose"));
  const { data } = await propose(world, { approve: refuse });
  assertEquals(data, {
    created: false,
    reason: "no_drift",
    skipped: [],
    summary: {
      drifted_proposeable: 0,
      drifted_skipped: 0,
      skipped_missing: 0,
      skipped_multi_module: 0,
      skipped_read_error: 0,
      skipped_generated: 0,
      skipped_conflicting: 0,
    },
  });
});

Deno.test("evolvePropose() with dry run lists candidates and what is missing, in the shape of the contract", async () => {
  await using world = await deployed();
  const path = join(world.home, ".codex/prompts/changelog.md");
  const gone = join(world.home, ".codex/skills/tidy/SKILL.md");
  await world.write(path, "Edited.\n");
  await world.files.remove(gone);
  const { data } = await propose(world, { dryRun: true }, { target: "codex" });
  assert(!data.created && data.reason === "dry_run");
  assertEquals(data.candidates, [{
    module_id: "prompt:changelog",
    target: "codex",
    path,
    path_posix: path,
  }]);
  const [skip, ...others] = data.skipped;
  assertEquals(others, []);
  assertEquals({ ...skip, reason_message: "" }, {
    target: "codex",
    path: gone,
    path_posix: gone,
    reason: "missing",
    reason_code: "missing",
    reason_message: "",
    module_id: "skill:tidy",
    next_actions: [
      "agentpack --target codex evolve restore --module-id skill:tidy --yes --json",
      "agentpack --target codex deploy --apply --yes --json",
    ],
    suggestions: [
      { action: "agentpack evolve restore", reason: "Write the missing file again" },
      { action: "agentpack deploy --apply", reason: "Deploy everything that is configured" },
    ],
  });
  assertEquals([data.summary.drifted_proposeable, data.summary.skipped_missing], [1, 1]);
});

Deno.test("evolvePropose() asks only when it has something to propose, and writes nothing when refused", async () => {
  await using world = await deployed();
  await world.write(join(world.home, ".codex/AGENTS.md"), "Edited.\n");
  const before = await world.git(world.repo, "for-each-ref");
  await assertCode(
    "E_CONFIRM_REQUIRED",
    () => propose(world, { approve: (id) => Promise.reject(confirmRequired(id)) }),
    { command: "evolve propose" },
  );
  assertEquals(await world.git(world.repo, "for-each-ref"), before);
});

Deno.test("evolvePropose() commits an overlay on a branch and leaves the checkout alone", async () => {
  await using world = await deployed();
  await world.write(join(world.home, ".codex/skills/tidy/scripts/run.sh"), "#!/bin/sh\nedited\n");
  const head = await world.git(world.repo, "rev-parse", "HEAD");
  const data = created(await propose(world));
  const overlay = `overlays/${fsKey("skill:tidy")}`;
  assertMatch(
    data.branch,
    /^evolve\/propose-global-skill_tidy-20260203T081531Z-123000000$/,
  );
  assertEquals([data.scope, data.committed, data.worktree], ["global", true, undefined]);
  assertEquals(data.files, [
    `${overlay}/scripts/run.sh`,
    `${overlay}/.agentpack/baseline.json`,
    `${overlay}/.agentpack/module_id`,
    `${overlay}/.agentpack/overlay.json`,
  ]);
  assertEquals(await world.git(world.repo, "status", "--porcelain"), "");
  assertEquals(await world.git(world.repo, "rev-parse", "HEAD"), head);
  assertEquals(await world.git(world.repo, "branch", "--show-current"), "main");
  assertEquals((await world.git(world.repo, "worktree", "list")).split("\n").length, 1);
  // Merged, the proposal is what is deployed, and the overlay can be rebased.
  await world.git(world.repo, "merge", "--quiet", data.branch);
  assertEquals((await plan(world.reader(), {})).data.changes, []);
  const mode = (await world.files.stat(join(world.repo, overlay, "scripts/run.sh")))?.mode ?? 0;
  assertEquals(mode & 0o111, 0o111);
  await overlayRebase(world.pack(), {}, {
    module_id: "skill:tidy",
    scope: "global",
    sparsify: false,
    dryRun: false,
  });
});

Deno.test("evolvePropose() takes the scope and branch it is given", async () => {
  await using world = await deployed();
  await world.write(join(world.home, ".codex/AGENTS.md"), "Edited.\n");
  const data = created(await propose(world, { scope: "project", branch: "my/branch" }));
  assertEquals(data.branch, "my/branch");
  assertMatch(data.files[0] ?? "", /^projects\/ae2752b5775071e2\/overlays\//);
  for (const branch of ["my/branch", "bad..name", "-x"]) {
    await assertCode("E_USAGE", () => propose(world, { branch }), { branch });
  }
});

Deno.test("evolvePropose() takes sections of an aggregate apart, and filters by module", async () => {
  await using world = await deployed(CODEX, "more");
  const path = join(world.home, ".codex/AGENTS.md");
  const text = await world.read(path) ?? "";
  await world.write(
    path,
    text.replace("Use tabs.", "Use spaces.").replace("Use UTC.", "Use local time."),
  );
  const selection = { profile: "more" };
  const both = await propose(world, { dryRun: true }, selection);
  assert(!both.data.created && both.data.reason === "dry_run");
  assertEquals(both.data.candidates.map((one) => one.module_id), [
    "instructions:alpha",
    "instructions:beta",
  ]);
  const data = created(await propose(world, { module_id: "instructions:beta" }, selection));
  const file = `overlays/${fsKey("instructions:beta")}/AGENTS.md`;
  assertEquals(data.files[0], file);
  assertEquals(
    await world.git(world.repo, "show", `${data.branch}:${file}`),
    "# Beta\n\nUse local time.",
  );
});

Deno.test("evolvePropose() skips an aggregate without its markers", async () => {
  await using world = await deployed(CODEX, "more");
  await world.write(join(world.home, ".codex/AGENTS.md"), "Everything anew.\n");
  const { data } = await propose(world, {}, { profile: "more" });
  assert(!data.created);
  assertEquals(data.reason, "no_proposeable_drift");
  assertEquals(
    data.skipped.map((
      one,
    ) => [one.reason, one.module_ids, one.next_actions, one.suggestions.length]),
    [
      ["multi_module_output", ["instructions:alpha", "instructions:beta"], [], 2],
    ],
  );
});

Deno.test("evolvePropose() maps renamed outputs and generated headers back to the source", async () => {
  await using world = await deployed(
    "  cursor: { mode: files, scope: project }\n  vscode: { mode: files, scope: project, options: { write_instructions: false } }",
  );
  const rule = join(world.project, ".cursor/rules", `${fsKey("instructions:alpha")}.mdc`);
  await world.write(rule, (await world.read(rule) ?? "").replace("tabs", "spaces"));
  await world.write(join(world.project, ".github/prompts/changelog.prompt.md"), "Edited.\n");
  const data = created(await propose(world));
  const show = (module: string, file: string) =>
    world.git(world.repo, "show", `${data.branch}:overlays/${fsKey(module)}/${file}`);
  assertEquals(await show("instructions:alpha", "AGENTS.md"), "# Alpha\n\nUse spaces.");
  assertEquals(await show("prompt:changelog", "changelog.md"), "Edited.");
  assertMatch(data.branch, /-global-multi-/);
  await world.write(rule, "---\nalwaysApply: false\n---\n\nMine.\n");
  const skipped = await propose(world, { module_id: "instructions:alpha" });
  assert(!skipped.data.created);
  assertEquals(skipped.data.skipped.map((one) => one.reason), ["generated_header_edited"]);
});

Deno.test("evolvePropose() counts the same edit once and lets no different ones win", async () => {
  await using world = await deployed(
    "  codex: { mode: files, scope: both, options: { write_user_prompts: true, write_prompt_skills: false } }",
  );
  const [user, project] = [join(world.home, ".codex/AGENTS.md"), join(world.project, "AGENTS.md")];
  await world.write(user, "Same.\n");
  await world.write(project, "Same.\n");
  const same = await propose(world, { dryRun: true });
  assert(!same.data.created && same.data.reason === "dry_run");
  assertEquals(same.data.candidates.length, 1);
  await world.write(project, "Different.\n");
  const rival = await propose(world);
  assert(!rival.data.created);
  assertEquals(rival.data.reason, "no_proposeable_drift");
  assertEquals(rival.data.skipped.map((one) => one.reason), [
    "conflicting_edits",
    "conflicting_edits",
  ]);
  assertMatch(rival.warnings.join(), /edited differently in several outputs/);
});

Deno.test("evolvePropose() writes a patch where the overlay holds patches", async () => {
  await using world = await deployed();
  await overlayEdit(world.pack(), {}, {
    module_id: "instructions:alpha",
    scope: "global",
    kind: "patch",
    sparse: true,
    materialize: false,
  });
  await world.commitRepo("overlay");
  await world.write(join(world.home, ".codex/AGENTS.md"), "# Alpha\n\nUse spaces.\n");
  const data = created(await propose(world));
  const patch = `overlays/${fsKey("instructions:alpha")}/.agentpack/patches/AGENTS.md.patch`;
  assertEquals(data.files, [patch]);
  await world.git(world.repo, "merge", "--quiet", data.branch);
  assertEquals((await plan(world.reader(), {})).data.changes, []);
});

Deno.test("evolvePropose() drops an override when the edit goes back to the lower layer", async () => {
  await using world = await PackWorld.make();
  await setUp(world, CODEX);
  const override = `overlays/${fsKey("prompt:changelog")}/changelog.md`;
  await world.write(override, "Override.\n");
  await deploy(world);
  await world.commitRepo();
  await world.write(join(world.home, ".codex/prompts/changelog.md"), "Write a changelog entry.\n");
  const data = created(await propose(world));
  assert(data.files.includes(override));
  await world.git(world.repo, "merge", "--quiet", data.branch);
  assertEquals(await world.read(join(world.repo, override)), null);
  assertEquals((await plan(world.reader(), {})).data.changes, []);
});

Deno.test("evolvePropose() needs a clean git repository", async () => {
  await using world = await PackWorld.make();
  await setUp(world, CODEX);
  await deploy(world);
  await world.write(join(world.home, ".codex/AGENTS.md"), "Edited.\n");
  await assertCode("E_GIT_REPO_REQUIRED", () => propose(world), {
    command: "evolve propose",
    repo: world.repo,
    next_actions: ["init_git_repo", "retry_command"],
  });
  await world.commitRepo();
  await world.write("new.md", "untracked");
  await assertCode("E_GIT_WORKTREE_DIRTY", () => propose(world), { repo: world.repo });
});

Deno.test("evolvePropose() keeps the changes on the branch when only the commit fails", async () => {
  await using world = await deployed();
  await world.write(join(world.home, ".codex/AGENTS.md"), "Edited.\n");
  const hook = join(world.repo, ".git/hooks/pre-commit");
  await world.write(hook, "#!/bin/sh\nexit 1\n", 0o755);
  const answer = await propose(world, { branch: "try" });
  const data = created(answer);
  assertEquals(data.committed, false);
  assertMatch(answer.warnings.join(), /could not be committed/);
  const file = `overlays/${fsKey("instructions:alpha")}/AGENTS.md`;
  const there = data.worktree ?? "";
  assertEquals(await world.read(join(there, file)), "Edited.\n");
  assertEquals(await world.git(world.repo, "status", "--porcelain"), "");
  // A person has to find it as it is, whatever doctor tidies up meanwhile.
  const fixed = await doctor(world.pack(), {}, { fix: true });
  assertEquals(fixed.data.removed, []);
  assertEquals(
    fixed.data.findings.filter(({ kind }) => kind === "uncommitted").map(({ paths }) => paths),
    [[there]],
  );
  assertEquals(await world.read(join(there, file)), "Edited.\n");
  await world.write(hook, "#!/bin/sh\nexit 0\n", 0o755);
  await world.git(there, "add", "--all");
  await world.git(there, "commit", "--quiet", "-m", "Propose what was edited");
  await world.git(world.repo, "merge", "--quiet", "try");
  assertEquals(await world.read(join(world.repo, file)), "Edited.\n");
  const later = await doctor(world.pack(), {}, { fix: true });
  assertEquals(later.data.removed, [there]);
});

Deno.test("evolvePropose() and evolveRestore() skip what they cannot read, and tell when git is missing", async () => {
  await using world = await deployed();
  const path = join(world.home, ".codex/prompts/changelog.md");
  await world.files.remove(path);
  await world.files.makeDirectory(path);
  const answer = await propose(world);
  assert(!answer.data.created);
  assertEquals(answer.data.skipped.map((one) => one.reason), ["read_error"]);
  assertEquals(answer.data.summary.skipped_read_error, 1);
  assertEquals(answer.warnings.length, 1);
  assertEquals((await restore(world)).data.summary.skipped_read_error, 1);
  await world.write(join(world.home, ".codex/AGENTS.md"), "Edited.\n");
  const { processes } = world.system;
  const run: typeof processes.run = (request) =>
    processes.run({ ...request, command: "no-such-git" });
  const pack = world.pack({ ...world.system, processes: { ...processes, run } });
  await assertCode(
    "E_GIT_NOT_FOUND",
    () => evolvePropose(pack, {}, { scope: "global", dryRun: false, approve: yes }),
    { cwd: world.repo, cwd_posix: world.repo },
  );
});

async function restore(world: PackWorld, options = {}) {
  return await evolveRestore(world.pack(), {}, { dryRun: false, approve: yes, ...options });
}

Deno.test("evolveRestore() creates what is missing, with modes, and overwrites nothing", async () => {
  await using world = await deployed();
  const skill = join(world.home, ".codex/skills/tidy");
  await world.files.removeTree(skill);
  await world.write(join(world.home, ".codex/AGENTS.md"), "Edited.\n");
  const state = await world.tree(join(world.root, "state"));
  const dry = await restore(world, { dryRun: true });
  assertEquals([dry.data.reason, dry.data.summary], ["dry_run", {
    missing: 2,
    restored: 0,
    skipped_existing: 2,
    skipped_read_error: 0,
  }]);
  const { data } = await restore(world);
  assertEquals(data.reason, "restored");
  assertEquals(data.restored, [
    {
      target: "codex",
      path: join(skill, "SKILL.md"),
      path_posix: join(skill, "SKILL.md"),
      module_ids: ["skill:tidy"],
    },
    {
      target: "codex",
      path: join(skill, "scripts/run.sh"),
      path_posix: join(skill, "scripts/run.sh"),
      module_ids: ["skill:tidy"],
    },
  ]);
  assertEquals(((await world.files.stat(join(skill, "scripts/run.sh")))?.mode ?? 0) & 0o777, 0o755);
  assertEquals(await world.read(join(world.home, ".codex/AGENTS.md")), "Edited.\n");
  assertEquals(await world.tree(join(world.root, "state")), state);
  assertEquals((await restore(world)).data.reason, "no_missing");
});

Deno.test("evolveRestore() filters by module, asks late, and never overwrites a file that appears", async () => {
  await using world = await deployed();
  const path = join(world.home, ".codex/prompts/changelog.md");
  await world.files.remove(path);
  assertEquals((await restore(world, { module_id: "skill:tidy" })).data.reason, "no_missing");
  await assertCode(
    "E_CONFIRM_REQUIRED",
    () => restore(world, { approve: (id: string) => Promise.reject(confirmRequired(id)) }),
    { command: "evolve restore" },
  );
  await assertCode("E_IO_INVALID_PATH", () =>
    restore(world, {
      approve: () => world.write(path, "appeared\n"),
    }));
  assertEquals(await world.read(path), "appeared\n");
});
