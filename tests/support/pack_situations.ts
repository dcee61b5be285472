/**
 * Every command of agentpack in situations in which it cannot do what it is asked for, as `situations.ts` has them
 * for the commands of amof.
 *
 * @module
 */

import { join } from "@std/path";
import { longName, type PackCommand } from "../../src/apps/agentpack/declare/command.ts";
import type { JsonSchema } from "../../src/contract/input.ts";
import { deploy, setUp } from "./pack_fixture.ts";
import { PackWorld } from "./pack_world.ts";
import { type Made, NONSENSE, wordsOf } from "./situations.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A place for agentpack's commands that is made when its turn comes. */
interface PackRecipe {
  readonly name: string;
  readonly prepare: (world: PackWorld) => Promise<void>;
  readonly env?: Readonly<Record<string, string>>;
}

const RECIPES: readonly PackRecipe[] = [
  { name: "no config repo", prepare: () => Promise.resolve() },
  { name: "configured", prepare: setUp },
  {
    name: "deployed, with drift",
    async prepare(world) {
      await setUp(world);
      await deploy(world);
      await world.write(join(world.project, "AGENTS.md"), "# Alpha\n\nUse more tabs.\n");
      await Deno.remove(join(world.home, ".codex", "prompts", "changelog.md"));
      await world.write("m/alpha/AGENTS.md", "# Alpha\n\nUse blanks.\n");
    },
  },
  {
    name: "a broken configuration",
    prepare: (world) =>
      world.config("version: 1\nprofiles: 7\nmodules:\n  - { id: 'a:b', type: nonsense }\n"),
  },
  {
    name: "a config repo of another version",
    prepare: (world) => world.config("version: 9\nprofiles: {}\n"),
  },
  { name: "agentpack without git", prepare: setUp, env: { PATH: "/nowhere", AMOF_PATH: "" } },
  {
    name: "a broken lockfile",
    async prepare(world) {
      await setUp(world);
      await world.write("agentpack.lock.json", "{");
      await world.write("agentpack.org.yaml", "version: 7\n");
    },
  },
];

/** Makes each situation when its turn comes. */
export const PACK_SITUATIONS: readonly { name: string; make: () => Promise<Made> }[] = RECIPES.map(
  ({ name, prepare, env }) => ({
    name,
    make: async () => {
      const world = await PackWorld.make();
      await prepare(world);
      return {
        name,
        world: world.world,
        cwd: world.project,
        env: { AGENTPACK_HOME: world.root, AGENTPACK_MACHINE_ID: "box", ...env },
        [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
      };
    },
  }),
);

/** The arguments of a tool: none, right ones, and each wrong in one way. */
export function packCalls(properties: Readonly<Record<string, JsonSchema>>): Fields[] {
  const right = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, valueOf(schema)]),
  );
  const { dry_run: _, ...acting } = right;
  return [
    {},
    { ...right, ...("dry_run" in properties ? { dry_run: true } : {}) },
    acting,
    { ...acting, yes: false },
    { ...right, nonsense: 1 },
    ...Object.keys(properties).flatMap((name) => [
      { ...right, [name]: NONSENSE },
      { ...right, [name]: 7 },
      { ...right, [name]: "" },
    ]),
  ];
}

/** A value that a schema accepts. */
function valueOf(schema: JsonSchema): unknown {
  const [choice] = (schema["enum"] as readonly unknown[] | undefined) ?? [];
  if (choice !== undefined) return choice;
  if ("const" in schema) return schema["const"];
  if (schema["type"] === "boolean") return true;
  return schema["type"] === "array" ? [] : "default";
}

/** The lines of a command: right ones, in every way in which they are approved, and each wrong in one way. */
export function packLines(command: PackCommand): string[][] {
  const examples = command.examples.map((example) =>
    // Nothing is to leave the machine.
    wordsOf(example.replace(/(?:https:\/\/|git@)git\.example\.org[:/]/, "file:///nowhere/"))
  ).map((words) =>
    // What a shell would read a file for.
    words.includes("<") ? words.slice(0, words.indexOf("<")) : words
  );
  const needed = Object.values(command.options).filter((option) =>
    option.positional && option.required
  );
  const choices = needed.map((option) => option.choices[0] ?? NONSENSE);
  const flags = [
    ...Object.entries(command.options).filter(([, option]) =>
      !option.positional && (option.kind === "text" || option.kind === "list")
    ).map(([id, option]) => `--${longName(id, option)}`),
    "--target",
  ];
  return [
    ...examples,
    ...examples.filter((words) => !words.includes("--yes")).map((words) => [...words, "--yes"]),
    ...examples.filter((words) => !words.includes("--dry-run")).map((words) => [
      ...words,
      "--dry-run",
    ]),
    [...command.path],
    [...command.path, ...needed.map(() => NONSENSE)],
    [...command.path, ...choices, "too", "many"],
    [...command.path, ...choices, "--jsn"],
    ...flags.map((name) => [...command.path, ...choices, `${name}=${NONSENSE}`]),
    ...flags.map((name) => [...command.path, ...choices, `${name}=`]),
  ].map((words) => ["agentpack", ...words.filter((word) => word !== "--json")]);
}
