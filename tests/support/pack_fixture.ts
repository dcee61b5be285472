/**
 * A config repo with modules of every type, and short ways to deploy it.
 *
 * @module
 */

import { type Approve, deployApply, type DeployData } from "./pack_calls.ts";
import type { Answer, Selection } from "../../src/apps/agentpack/pack.ts";
import type { PackWorld } from "./pack_world.ts";

/** Approves everything. */
export const yes: Approve = (): Promise<void> => Promise.resolve();

/** Targets of {@linkcode setUp} when none are given. */
export const TARGETS =
  `  codex: { mode: files, scope: both, options: { write_user_prompts: true, write_prompt_skills: false } }
  claude_code: { mode: files, scope: both }
  cursor: { mode: files, scope: project }
  vscode: { mode: files, scope: project }`;

/** The modules of {@linkcode setUp}. */
export const MODULES = `
  - { id: "instructions:alpha", type: instructions, tags: [base], source: { local_path: { path: m/alpha } } }
  - { id: "instructions:beta", type: instructions, tags: [more], source: { local_path: { path: m/beta } } }
  - { id: "skill:tidy", type: skill, tags: [base], source: { local_path: { path: m/tidy } } }
  - { id: "prompt:changelog", type: prompt, tags: [base], source: { local_path: { path: m/changelog.md } } }
  - { id: "command:ship", type: command, tags: [base], source: { local_path: { path: m/ship.md } } }`;

/** Writes configuration and modules; the profile `more` adds `instructions:beta`, `none` selects nothing. */
export async function setUp(world: PackWorld, targets = TARGETS, modules = MODULES): Promise<void> {
  await world.config(
    `version: 1\nprofiles:\n  default: { include_tags: [base] }\n  more: { include_tags: [base, more] }\n` +
      `  none: {}\ntargets:\n${targets}\nmodules:${modules}\n`,
  );
  await world.write("m/alpha/AGENTS.md", "# Alpha\n\nUse tabs.\n");
  await world.write("m/beta/AGENTS.md", "# Beta\n\nUse UTC.");
  await world.write("m/tidy/SKILL.md", "---\nname: tidy\ndescription: Sort imports.\n---\nText\n");
  await world.write("m/tidy/scripts/run.sh", "#!/bin/sh\necho hi\n", 0o755);
  await world.write("m/changelog.md", "Write a changelog entry.\n");
  await world.write("m/ship.md", "---\ndescription: Ship it\n---\nGo.\n");
}

/** Deploys, approving; moves the clock on first. */
export async function deploy(
  world: PackWorld,
  selection: Selection = {},
  adopt = false,
): Promise<Answer<DeployData>> {
  world.tick();
  return await deployApply(world.pack(), selection, { adopt, approve: yes });
}

/** Deploys and answers the id of the snapshot; throws when nothing was applied. */
export async function snapshot(
  world: PackWorld,
  selection: Selection = {},
  adopt = false,
): Promise<string> {
  const { data } = await deploy(world, selection, adopt);
  if (data.snapshot_id === undefined) throw new Error(`Nothing applied: ${data.reason}`);
  return data.snapshot_id;
}
