/**
 * Every command of both doors in situations in which it cannot do what it is asked for. The command lines are
 * made of the registry's own examples and of wrong values for each of their parts. They are called where much
 * is missing or broken.
 *
 * @module
 */

import { join } from "@std/path";
import { entryFlags, parseInvocation } from "../../src/pipeline/line/parse.ts";
import { takeWords } from "../../src/pipeline/line/words.ts";
import type { Command } from "../../src/contract/mod.ts";
import { runId } from "../../src/base/ids.ts";
import { claim, locksAt } from "../../src/runs/changing.ts";
import { openStore } from "../../src/state/store/open.ts";
import { realSystem } from "../../src/base/system/real/mod.ts";
import type { Surroundings } from "./both_doors.ts";
import { THOROUGHLY } from "./sample.ts";
import { World } from "./world.ts";

/** A place in which commands are called; dispose of it when that is over. */
export interface Made extends Surroundings, AsyncDisposable {
  readonly name: string;
}

/** A situation that is made when its turn comes. */
interface Recipe {
  readonly name: string;
  /** Makes the world; answers where in it commands are called, and with what. */
  readonly make: () => Promise<{
    readonly world: World;
    readonly cwd?: string;
    readonly env?: Readonly<Record<string, string>>;
  }>;
}

const PROVISIONED = "provisioner: here\n";

/** An installed ecosystem in which nearly everything that can stand in the way does. */
async function tangled(): Promise<World> {
  const world = await World.installed({ repos: ["api", "web", "lib"], extra: PROVISIONED });
  await world.script("control/provisioners/here/spin.sh", "exit 0");
  await world.git(world.control, "tag", "-a", "v1.0.0", "-m", "First");
  await world.amof(["ticket", "start", "PROJ-1", "--offline"]);
  await world.amof(["ticket", "start", "PROJ-2", "--offline"]);
  await world.commitOnFeature("api", "feature/T-1");
  await Deno.writeTextFile(join(world.clone("web"), "README.md"), "changed\n");
  await Deno.writeTextFile(join(world.clone("web"), ".env"), "A=1\n");
  await Deno.remove(world.clone("lib"), { recursive: true });
  await world.amof(["push", "--yes", "--quiet"]);
  return world;
}

/** A world in which a run of this very process has the lock of the ecosystem. */
async function atWork(): Promise<World> {
  const world = await World.installed({ repos: ["api"] });
  const system = realSystem();
  const store = openStore(join(world.env["AMOF_HOME"] ?? "", "state", "amof.db"));
  try {
    const at = system.clock.now();
    const run = runId("0badcafe-0000-4000-8000-000000000000");
    await claim(
      {
        runId: run,
        root: world.control,
        ecosystem: "demo",
        ticket: null,
        action: "sync",
        tool: "amof_sync_ecosystem",
        args: {},
        createdAt: at,
        sessionId: null,
        origin: "cli",
        requestedBy: "tester",
        confirmation: null,
        fingerprint: "",
        preview: null,
        // Nobody ends a process by a signal that works on a run of its own.
        inline: true,
        locks: locksAt("scope", { root: world.control, ecosystem: "demo", ticket: null }),
      },
      store,
      system,
    );
    store.runs.setWorker(run, await system.processes.me(), at);
    store.runs.move(run, "running", at);
  } finally {
    store.close();
  }
  return world;
}

const RECIPES: readonly Recipe[] = [
  {
    name: "outside any repository",
    make: async () => {
      const world = await World.make();
      return { world, cwd: world.directory };
    },
  },
  {
    name: "a repository without ecosystems",
    make: async () => {
      const world = await World.make();
      await world.makeControl();
      return { world };
    },
  },
  { name: "not installed", make: async () => ({ world: await World.withEcosystem() }) },
  {
    name: "two ecosystems, neither meant",
    make: async () => {
      const world = await World.withEcosystem();
      await world.addEcosystem("shop");
      return { world };
    },
  },
  { name: "installed", make: async () => ({ world: await World.installed({ repos: ["api"] }) }) },
  { name: "tangled", make: async () => ({ world: await tangled() }) },
  { name: "another run is at work", make: async () => ({ world: await atWork() }) },
  {
    name: "a broken manifest",
    make: async () => {
      const world = await World.installed({ repos: ["api"] });
      await world.write(
        "control/ecosystems/demo/ecosystem.yaml",
        "name: demo\nrepos:\n  - name: api\n    readonly: yes\n  - url: 7\nprovisioner: ../x\n",
      );
      return { world };
    },
  },
  {
    name: "no git",
    make: async () => ({
      world: await World.installed({ repos: ["api"] }),
      env: { PATH: "/nowhere", AMOF_PATH: "" },
    }),
  },
  {
    name: "a damaged state",
    make: async () => {
      const world = await World.installed({ repos: ["api"] });
      await Deno.writeTextFile(world.stateFile(), "{");
      return { world };
    },
  },
  {
    name: "no database",
    make: async () => {
      const world = await World.installed({ repos: ["api"] });
      await world.write("file", "");
      return { world, env: { AMOF_HOME: join(world.directory, "file", "state") } };
    },
  },
];

/** Makes each situation when its turn comes. */
export const SITUATIONS: readonly { name: string; make: () => Promise<Made> }[] = RECIPES.map(
  ({ name, make }) => ({
    name,
    make: async () => {
      const made = await make();
      return {
        name,
        cwd: made.world.control,
        ...made,
        [Symbol.asyncDispose]: () => made.world[Symbol.asyncDispose](),
      };
    },
  }),
);

/** The words of an example, as a shell would hand them over. */
export function wordsOf(example: string): string[] {
  return [...example.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, bare]) =>
    double ?? single ?? bare ?? ""
  );
}

/** A value that is none of a closed set, or no number. */
export const NONSENSE = "nonsens";

/** Lines of a command that are wrong in one way each. */
export async function wrongLines(command: Command): Promise<string[][]> {
  const [example = ""] = command.examples;
  const { rest } = takeWords(wordsOf(example), [command]);
  const flags = (await entryFlags(command)).filter(({ member }) =>
    member !== "" && !(command.positionals ?? []).includes(member)
  );
  const valued = flags.filter(({ type }) => type !== "boolean");
  const [misspelt] = flags.map(({ name }) => `--${name.slice(0, -1)}`);
  return [
    [...command.path],
    [...command.path, ...(command.positionals ?? []).map(() => NONSENSE)],
    [...command.path, ...(command.positionals ?? []).map(() => "no such thing")],
    [...command.path, ...(command.positionals ?? []).map(() => "../-x")],
    [...command.path, ...rest, "too", "many"],
    [...command.path, ...rest, misspelt ?? "--jsn"],
    [...command.path, ...rest, "--mode", "pln"],
    [...command.path, ...rest, "-e", "nowhere"],
    ...valued.map(({ name }) => [...command.path, ...rest, `--${name}=${NONSENSE}`]),
    ...valued.map(({ name }) => [...command.path, ...rest, `--${name}=`]),
    ...valued.filter(({ type }) => type === "integer").map(({ name }) => [
      ...command.path,
      ...rest,
      `--${name}=-1`,
    ]),
  ];
}

/** The lines of a command that are meant to work, in each mode, and without the consent they need. */
export function rightLines(command: Command): string[][] {
  return command.examples.slice(0, THOROUGHLY ? undefined : 1).flatMap((example) => {
    const words = wordsOf(example.replace("https://host/", "file:///nowhere/")).filter((word) =>
      word !== "--follow"
    );
    if (command.kind !== "mutation") return [words];
    // What stands behind -- belongs to another program.
    const end = words.includes("--") ? words.indexOf("--") : words.length;
    const also = (...flags: string[]) => words.toSpliced(end, 0, ...flags);
    return [
      also("--mode", "ask"),
      also("--mode", "plan"),
      words,
      also("--confirm-name", "wrong"),
    ];
  });
}

/** A line as the call of a tool; null where a tool cannot be given what the line says. */
export async function asToolCall(
  command: Command,
  words: readonly string[],
): Promise<Readonly<Record<string, unknown>> | null> {
  if (command.mcp === "never") return null;
  const { rest } = takeWords(words, [command]);
  try {
    const { args, flags } = await parseInvocation(command, rest);
    const ecosystem = command.scope === "ecosystem" ? flags.ecosystem : null;
    return {
      ...args,
      ...(ecosystem === null ? {} : { ecosystem }),
      ...(command.kind === "mutation" ? { mode: flags.mode ?? "execute" } : {}),
      ...(flags.confirmName === null ? {} : { confirm_name: flags.confirmName }),
    };
  } catch {
    return null;
  }
}
