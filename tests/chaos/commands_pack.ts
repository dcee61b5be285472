/**
 * The commands of agentpack that change something, with the worlds in which they have something to do.
 *
 * @module
 */

import { join } from "@std/path";
import { setUp } from "../support/pack_fixture.ts";
import { PackWorld } from "../support/pack_world.ts";
import type { World } from "../support/world.ts";
import { must, type Victim } from "./victim.ts";

const REPAIR = ["agentpack", "doctor", "--fix", "--yes", "--json"];
const TARGETS =
  "  codex: { mode: files, scope: both, options: { write_user_prompts: true, write_prompt_skills: false } }\n  cursor: { mode: files, scope: project }";

/** Lines about the manifests, which say when they were written, and about the .gitignore that names them. */
const NOTED = /\.agentpack\.manifest\.|\.gitignore /;

const config = (world: World) => join(world.directory, "home", ".agentpack", "repo");

/** A world whose programs find config repo and project wherever they are started. */
async function packWorld(): Promise<PackWorld> {
  const made = await PackWorld.make();
  const { world } = made;
  world.env["AGENTPACK_MACHINE_ID"] = "box";
  world.env["AGENTPACK_PROJECT_ROOT"] = made.project;
  return made;
}

/** A config repo with modules of every kind, deployed once and changed since; committed. */
async function deployed(): Promise<PackWorld> {
  const made = await packWorld();
  await setUp(made, TARGETS);
  await made.commitRepo();
  await must(made.world, "agentpack", "deploy", "--apply", "--yes");
  await made.write("m/tidy/SKILL.md", "---\nname: tidy\ndescription: Second.\n---\n");
  await made.write("m/tidy/more.md", "more\n");
  await Deno.remove(join(made.repo, "m/tidy/scripts/run.sh"));
  await made.commitRepo("Second");
  return made;
}

/** Makes a bare repository with one commit; answers where it is. */
async function bare(made: PackWorld, name: string, file: string): Promise<string> {
  const { world } = made;
  const [seed, remote] = [
    join(world.directory, "seed", name),
    join(world.remotes, `${name}.git`),
  ];
  await Deno.mkdir(remote, { recursive: true });
  await made.git(remote, "init", "--quiet", "--bare", "--initial-branch=main", "--template=");
  await made.write(join(seed, file), `${name}\n`);
  await made.git(seed, "init", "--quiet", "--initial-branch=main", "--template=");
  await made.git(seed, "add", ".");
  await made.git(seed, "commit", "--quiet", "-m", "Begin");
  await made.git(seed, "push", "--quiet", remote, "main");
  return remote;
}

/** A config repo that has a commit of its own when `own`, and whose remote has news. */
async function outdated(own: boolean): Promise<World> {
  const made = await packWorld();
  await made.write("agentpack.yaml", "version: 1\nprofiles:\n  default: {}\n");
  await made.commitRepo();
  const remote = await bare(made, "config", "theirs.md");
  await made.git(made.repo, "remote", "add", "origin", remote);
  await made.git(made.repo, "push", "--quiet", "--force", "origin", "main");
  const seed = join(made.world.directory, "seed", "config");
  await made.git(seed, "fetch", "--quiet", remote, "main");
  await made.git(seed, "reset", "--quiet", "--hard", "FETCH_HEAD");
  await made.write(join(seed, "theirs.md"), "theirs\n");
  await made.git(seed, "add", ".");
  await made.git(seed, "commit", "--quiet", "-m", "Theirs");
  await made.git(seed, "push", "--quiet", remote, "main");
  if (own) {
    await made.write("ours.md", "ours\n");
    await made.commitRepo("Ours");
  }
  return made.world;
}

/** Whether config repo and remote hold the same, and all of it. */
async function isTogether(world: World): Promise<boolean> {
  const here = await world.git(config(world), "rev-parse", "refs/heads/main");
  const there = await world.git(join(world.remotes, "config.git"), "rev-parse", "main");
  return here === there && await world.git(config(world), "status", "--porcelain") === "" &&
    await world.exists(join(config(world), "theirs.md"));
}

/** The commands. */
export const PACK_VICTIMS: readonly Victim[] = [
  {
    name: "agentpack init --git",
    args: ["agentpack", "init", "--git", "--yes"],
    // Where it was cut off before it began there is nothing that could be repaired, and that is said.
    repair: ["agentpack", "schema", "--json"],
    async prepare() {
      const made = await packWorld();
      await Deno.remove(made.repo, { recursive: true });
      return made.world;
    },
    ends: "told",
    done: async (world) =>
      await world.exists(join(config(world), ".git", "HEAD")) &&
      await world.exists(join(config(world), "agentpack.yaml")),
  },
  {
    name: "agentpack update",
    args: ["agentpack", "update", "--yes"],
    repair: REPAIR,
    async prepare() {
      const made = await packWorld();
      const url = await bare(made, "rules", "AGENTS.md");
      const module = `
  - { id: "instructions:rules", type: instructions, tags: [base], source: { git: { url: "file://${url}", ref: main } } }`;
      await setUp(made, TARGETS, module);
      await made.commitRepo();
      return made.world;
    },
    ends: "told",
    done: async (world) => await world.exists(join(config(world), "agentpack.lock.json")),
  },
  {
    name: "agentpack deploy",
    args: ["agentpack", "deploy", "--apply", "--yes"],
    repair: REPAIR,
    prepare: async () => (await deployed()).world,
    ends: "whole",
    overlooks: NOTED,
  },
  {
    name: "agentpack rollback",
    args: ["agentpack", "rollback", "--yes"],
    repair: REPAIR,
    async prepare() {
      const { world } = await deployed();
      await must(world, "agentpack", "deploy", "--apply", "--yes");
      return world;
    },
    async more(world) {
      const listed = await world.amof(["agentpack", "snapshots", "list", "--json"]);
      const { snapshots } = listed.json()["data"] as { snapshots: { id: string }[] };
      return ["--to", snapshots.at(-1)?.id ?? ""];
    },
    ends: "whole",
    overlooks: NOTED,
  },
  {
    name: "agentpack evolve propose",
    args: ["agentpack", "evolve", "propose", "--branch", "proposal", "--yes"],
    repair: REPAIR,
    async prepare() {
      const made = await deployed();
      await must(made.world, "agentpack", "deploy", "--apply", "--yes");
      await made.write(
        join(made.project, ".codex", "skills", "tidy", "more.md"),
        "edited where it was deployed\n",
      );
      return made.world;
    },
    ends: "told",
    done: async (world) =>
      (await world.git(config(world), "branch", "--list", "proposal")).includes("proposal"),
    again: ["E_USAGE"],
  },
  {
    name: "agentpack sync",
    args: ["agentpack", "sync", "--yes"],
    repair: REPAIR,
    prepare: () => outdated(false),
    ends: "told",
    done: isTogether,
  },
  {
    name: "agentpack sync --rebase",
    args: ["agentpack", "sync", "--rebase", "--yes"],
    repair: REPAIR,
    prepare: () => outdated(true),
    rewrites: true,
    wayOut: /take it back: (git -C \S+ rebase --abort)/,
    ends: "told",
    done: async (world) =>
      await isTogether(world) && await world.exists(join(config(world), "ours.md")),
  },
  {
    name: "agentpack import",
    args: ["agentpack", "import", "--apply", "--yes"],
    repair: REPAIR,
    async prepare() {
      const made = await packWorld();
      await made.config("version: 1\nprofiles:\n  default: {}\n");
      await made.write(join(made.home, ".codex", "prompts", "greet.md"), "Say hello.\n");
      await made.commitRepo();
      return made.world;
    },
    ends: "told",
    done: async (world) =>
      (await Deno.readTextFile(join(config(world), "agentpack.yaml"))).includes("greet"),
  },
];
