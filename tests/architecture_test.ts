// The rules of the architecture that a compiler does not check: import direction, the one module that names
// git or the Deno global, doors and doc comments.

import { assert, assertEquals } from "@std/assert";
import { dirname, fromFileUrl, join, normalize, relative } from "@std/path";

import { PACK_COMMANDS } from "../src/apps/agentpack/mod.ts";
import { PROGRAMS } from "../src/doors/cli/programs/mod.ts";
import { DOOR_WINGS } from "../src/doors/wings.ts";
import { COMMANDS } from "../src/pipeline/registry.ts";
import { loadedWith, MODULES, sources, SRC, START, WINGS } from "./support/modules.ts";

const ROOT = fromFileUrl(new URL("../", import.meta.url));

/** Rooms of src/ from the bottom up; a module imports only its own room and those on lines above. */
const LAYERS: readonly (readonly string[])[] = [
  ["base"],
  ["git"],
  ["state"],
  ["contract", "forge", "machine"],
  ["runs"],
  ["workspace"],
  ["engine"],
  ["apps", "commands"],
  ["pipeline"],
  ["doors"],
];
/** The lowest room from the bottom up: everything stands on it, so it has an order of its own. */
const BASE: readonly (readonly string[])[] = [
  ["object.ts"],
  [
    "async",
    "std",
    "text",
    "version.ts",
    "hash.ts",
    "io_error.ts",
    "error_codes.ts",
    "paths.ts",
    "ids.ts",
  ],
  ["error.ts"],
  ["system"],
  ["policy"],
];
/** Folders whose modules the rest reaches only through mod.ts, or changing.ts for what looking does not need. */
const CLOSED = [
  "apps/agentpack",
  "apps/stocktrim",
  "engine",
  "forge",
  "git",
  "machine/box",
  "machine/hosts",
  "pipeline/suggest",
  "runs",
  "state/settings",
  "workspace",
];

function folder(name: string): string {
  return name.split("/")[0] ?? "";
}

function layer(name: string): number {
  return LAYERS.findIndex((names) => names.includes(folder(name)));
}

Deno.test("every folder of src/ has a place in the layers", () => {
  assertEquals(MODULES.filter((module) => layer(module.name) < 0).map((module) => module.name), []);
});

/** The imports that do not point to a line above, of modules whose place is told by `floor`. */
function upward(floor: (name: string) => number, place: (name: string) => string): string[] {
  return MODULES.flatMap(({ name, imports }) =>
    imports.filter((target) =>
      floor(name) >= 0 && floor(target) >= 0 && place(target) !== place(name) &&
      floor(target) >= floor(name)
    ).map((target) => `${name} → ${target}`)
  );
}

Deno.test("imports point downward", () => {
  assertEquals(upward(layer, folder), []);
  const inBase = (name: string) => /^base\/([^/]+)/.exec(name)?.[1] ?? "";
  const floor = (name: string) => BASE.findIndex((names) => names.includes(inBase(name)));
  assertEquals(
    MODULES.filter(({ name }) => folder(name) === "base" && floor(name) < 0),
    [],
  );
  assertEquals(upward(floor, inBase), []);
});

Deno.test("a domain is entered through its mod.ts or changing.ts", () => {
  const inside = MODULES.flatMap(({ name, imports }) =>
    imports.filter((target) => {
      const domain = CLOSED.find((closed) => target.startsWith(`${closed}/`));
      // A folder of a domain may have a mod.ts of its own.
      return domain !== undefined && !name.startsWith(`${domain}/`) &&
        !/\/(?:mod|changing)\.ts$/.test(target);
    }).map((target) => `${name} → ${target}`)
  );
  assertEquals(inside.filter((line) => !/^pipeline\/wings\.ts → .*\/wing\.ts$/.test(line)), []);
});

Deno.test("the core knows no wing", () => {
  const wingOf = (name: string) =>
    Object.entries(WINGS).find(([, place]) => place.test(name))?.[0] ?? null;
  const arrows = MODULES.flatMap(({ name, imports }) =>
    imports.filter((target) => wingOf(target) !== null && wingOf(target) !== wingOf(name))
      // The lists of wings tell of them, and that of the programs of the command line of some.
      .filter(() => !/^(?:pipeline\/wings|doors\/(?:wings|cli\/programs\/mod))\.ts$/.test(name))
      .map((target) => `${name} → ${target}`)
  );
  assertEquals(arrows, []);
});

/** Where agentpack is named outside of its own rooms, and why. */
const NAMING_AGENTPACK: readonly { readonly why: string; readonly in: readonly string[] }[] = [
  { why: "the list of wings", in: ["src/doors/wings.ts"] },
  { why: "data written out of the declarations", in: ["src/doors/cli/programs/facts.ts"] },
  {
    why: "the version is told, and a host greeted, before anything is loaded that knows names",
    in: ["main.ts", "src/doors/cli/version_alone.ts", "src/doors/mcp/first_answer.ts"],
  },
  {
    why: "entries in the files of AI hosts are known, judged and taken out by their names",
    in: ["src/machine/hosts/check.ts", "src/commands/mcp/install.ts"],
  },
  {
    why: "the mark of a version, which stands in skills that were deployed before",
    in: ["src/apps/skill/skill.ts"],
  },
  { why: "words of a schema that is published", in: ["src/pipeline/json_schema.ts"] },
  {
    why: "what packages bring for it: its name beside amof's, its pages of the manual",
    in: [
      ".github/packaging/debian.ts",
      ".github/packaging/formulas.ts",
      ".github/packaging/man/all.ts",
      ".github/packaging/man/pages.ts",
      ".github/packaging/npm.ts",
    ],
  },
];

Deno.test("agentpack is named in its own rooms, and where there is a reason", async () => {
  const { agentpack } = WINGS;
  const others = MODULES.filter(({ name }) => agentpack?.test(name) === false)
    .map(({ name, text }) => [`src/${name}`, text] as const);
  const packaging = (await sources(join(ROOT, ".github", "packaging")))
    .map((path) => relative(ROOT, path).replaceAll("\\", "/"));
  const outside = await Promise.all(
    ["main.ts", ...packaging].map(async (name) =>
      [name, await Deno.readTextFile(join(ROOT, name))] as const
    ),
  );
  const naming = [...others, ...outside].filter(([, text]) => /agentpack/i.test(text));
  assertEquals(
    naming.map(([name]) => name).toSorted(),
    NAMING_AGENTPACK.flatMap((entry) => entry.in).toSorted(),
  );
});

/** Rooms below the commands, and the one table of errors in them. */
const BELOW = /^(?:base|git|machine|runs|state|workspace)\/(?!error_codes\.ts$)/;

/** Where these rooms name a command all the same, how often, and why. */
const NAMED_BELOW: readonly { readonly why: string; readonly in: Record<string, number> }[] = [
  {
    why: "texts of files and refs that somebody comes upon without a command",
    in: {
      "git/checkpoint/names.ts": 1,
      "git/write/branches.ts": 1,
      "state/settings/schema.ts": 1,
      "workspace/manifest/schema.ts": 1,
      "workspace/manifest/tasks.ts": 1,
      "workspace/mirrors/make.ts": 4,
    },
  },
  {
    why:
      "an error that is thrown in one place, about what is wrong there, and that no command has a part in",
    in: {
      "git/write/commits.ts": 1,
      "runs/start.ts": 1,
      "runs/steps/perform.ts": 1,
      "workspace/clones/adopting.ts": 1,
      "workspace/clones/clone.ts": 1,
      "workspace/clones/inspect.ts": 1,
      "workspace/manifest/guard.ts": 1,
      "workspace/manifest/manifest.ts": 2,
      "workspace/manifest/shape.ts": 1,
      "workspace/seals/guard.ts": 1,
      "workspace/state.ts": 1,
      "workspace/tickets/build.ts": 1,
      "workspace/tickets/ports.ts": 1,
      "workspace/tickets/record.ts": 2,
      "workspace/workspace.ts": 4,
    },
  },
  { why: "what is asked while clones are made", in: { "workspace/clones/clone.ts": 1 } },
  { why: "the error that a run keeps whose process is gone", in: { "runs/liveness.ts": 3 } },
  { why: "the line for more than fits", in: { "base/text/words.ts": 1 } },
];

Deno.test("rooms below the commands name none: what they find is said by who calls them", () => {
  const words = new Set([...COMMANDS, ...PROGRAMS].map(({ path }) => path[0]));
  const named = new RegExp(`\\bamof (?:-|(?:${[...words].join("|")})\\b)`, "g");
  const found = MODULES.filter(({ name }) => BELOW.test(name)).flatMap(({ name, text }) => {
    // A glob in a text begins no comment.
    const code = text.replaceAll(/^\s*(?:\/\*[\s\S]*?\*\/|\/\/.*$)/gm, "");
    const count = [...code.matchAll(named)].length;
    return count === 0 ? [] : [[name, count] as const];
  });
  const known: Record<string, number> = {};
  for (const [name, count] of NAMED_BELOW.flatMap((entry) => Object.entries(entry.in))) {
    known[name] = (known[name] ?? 0) + count;
  }
  assertEquals(Object.fromEntries(found), known);
});

Deno.test("one name means one thing: at most three modules export something under it", () => {
  const declared = /^export (?:async )?(?:function\*?|const|interface|type|class) (\w+)/gm;
  const places = Map.groupBy(
    MODULES.flatMap(({ name, text }) =>
      [...text.matchAll(declared)].map((match) => ({ word: match[1] ?? "", name }))
    ),
    ({ word }) => word,
  );
  const often = [...places].filter(([, all]) => new Set(all.map(({ name }) => name)).size > 3);
  assertEquals(often.map(([word, all]) => `${word}: ${all.map(({ name }) => name)}`), []);
});

/** The members of interfaces of `contract/`, each once. */
function membersOf(module: string, ...interfaces: readonly string[]): string[] {
  const text = MODULES.find(({ name }) => name === `contract/${module}`)?.text ?? "";
  return [
    ...new Set(interfaces.flatMap((name) => {
      const body = new RegExp(`^(?:export )?interface ${name}\\b[^]*?^}`, "m").exec(text)?.[0] ??
        "";
      return [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??[:(]/gm)].map(([, member = ""]) =>
        member
      );
    })),
  ];
}

Deno.test("what commands receive has few members", () => {
  const members = membersOf("context.ts", "CommandContext", "ExecuteContext");
  assert(members.includes("system") && members.includes("perform"));
  assert(members.length <= 24, `${members.length}: ${members.join(", ")}`);
});

Deno.test("a declaration has few members", () => {
  const members = membersOf("spec.ts", "Common", "MutationSpec");
  assert(members.includes("path") && members.includes("execute"));
  assert(members.length <= 40, `${members.length}: ${members.join(", ")}`);
});

Deno.test("the room of workspaces hands few names on", () => {
  const text = MODULES.find(({ name }) => name === "workspace/mod.ts")?.text ?? "";
  const names = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = ""]) =>
    list.split(",").filter((name) => name.trim() !== "")
  );
  assert(names.length > 0 && names.length <= 60, `${names.length} names`);
});

Deno.test("no module imports itself in a circle", () => {
  const byName = new Map(MODULES.map((module) => [module.name, module]));
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (name: string, way: readonly string[]) => {
    if (way.includes(name)) {
      circles.push([...way.slice(way.indexOf(name)), name].join(" → "));
      return;
    }
    if (done.has(name)) return;
    for (const target of byName.get(name)?.imports ?? []) visit(target, [...way, name]);
    done.add(name);
  };
  for (const module of MODULES) visit(module.name, []);
  assertEquals(circles, []);
});

/** Rooms that are loaded when a command is carried out, or a page of help is asked for, and not before. */
const LATE =
  /^(?:commands|git|machine\/hosts|runs|pipeline\/suggest|workspace)\/(?!\w+\/wing\.ts$)/;

Deno.test("start-up loads no command, and neither agentpack, nor zod, the SDK, SQLite or YAML", () => {
  const { modules: loaded, heavy } = loadedWith(...START);
  assert(loaded.length > 40);
  assert(loaded.length <= 60, `${loaded.length} modules`);
  assertEquals(heavy, []);
  assertEquals(loaded.filter((name) => LATE.test(name)), []);
  const programs = loaded.filter((name) => /^doors\/cli\/programs\//.test(name));
  assertEquals(programs.toSorted(), [
    "doors/cli/programs/facts.ts",
    "doors/cli/programs/mod.ts",
  ]);
  const agentpack = loaded.filter((name) => /(?:^|\/)agentpack\//.test(name));
  assertEquals(agentpack, ["doors/agentpack/wing.ts"]);
});

Deno.test("a server greets its host before anything is loaded that looks at repositories", () => {
  const { modules, heavy } = loadedWith(
    ...START,
    "doors/cli/run_entry.ts",
    "doors/cli/run_program.ts",
    "doors/cli/programs/mcp/serve.ts",
    "doors/mcp/server.ts",
  );
  assertEquals(heavy, []);
  const late = modules.filter((name) => LATE.test(name) || name === "pipeline/pipeline.ts");
  assertEquals(late, []);
});

Deno.test("what a usual server greets its host with is little", () => {
  const { modules, heavy } = loadedWith("doors/mcp/first_answer.ts");
  assertEquals(heavy, []);
  assertEquals(
    modules.filter((name) =>
      !/^(?:base\/(?:object|version|(?:policy|text)\/\w+)|base\/system\/real\/(?:at_start|terminal)|doors\/mcp\/\w+)\.ts$/
        .test(name)
    ),
    [],
  );
  assert(modules.length < 20, modules.join("\n"));
});

Deno.test("a command that looks loads neither engines nor what changes are made with", () => {
  const { modules, heavy } = loadedWith(
    ...START,
    "doors/cli/run_entry.ts",
    "doors/cli/run_command.ts",
    "commands/status/status.ts",
  );
  assertEquals(heavy, []);
  assert(modules.length <= 293, `${modules.length} modules`);
  const late = modules.filter((name) =>
    /^(?:engine|commands\/(?:undo|server)|git\/(?:checkpoint|snapshot)|machine)\/(?!wing\.ts$)|^pipeline\/(?:answer|change|execute|redeem|follow)\.ts$|\/changing\.ts$/
      .test(name)
  );
  assertEquals(late, []);
});

Deno.test("a push that is only previewed loads nothing that sends, and neither mirrors nor removals", () => {
  const { modules, heavy } = loadedWith(
    ...START,
    "doors/cli/run_entry.ts",
    "doors/cli/run_command.ts",
    "pipeline/change.ts",
    "pipeline/execute.ts",
    "commands/push/push.ts",
  );
  assertEquals(heavy, []);
  assert(modules.length <= 338, `${modules.length} modules`);
  const late = modules.filter((name) =>
    /^(?:commands\/(?:push\/(?:one|send)\.ts$|removal\/)|machine\/|workspace\/(?:mirrors|removal)\/(?!place\.ts$))/
      .test(name)
  );
  assertEquals(late, []);
});

Deno.test("what answers with the version alone is all that main.ts loads at once", async () => {
  const text = await Deno.readTextFile(join(ROOT, "main.ts"));
  const statics = [...text.matchAll(/^import [^;]*? from "([^"]+)";/gm)].map(([, name]) => name);
  assertEquals(statics, ["node:process", "./src/doors/cli/version_alone.ts"]);
  const alone = MODULES.find(({ name }) => name === "doors/cli/version_alone.ts");
  assertEquals([...(alone?.text ?? "").matchAll(/from "([^"]+)";/g)].map(([, name]) => name), [
    "../../base/version.ts",
  ]);
});

Deno.test("no module imports node:fs, which loads all streams of Node with it", () => {
  // This one holds the text of a program that a demo runs.
  const others = MODULES.filter((module) => module.name !== "doors/cli/programs/demo/spin.ts");
  assertEquals(
    others.filter((module) => /^import [^;]*?from "node:fs";/m.test(module.text))
      .map((module) => module.name),
    [],
  );
});

Deno.test("no module takes a standard stream as a stream of the platform, which loads all of those", () => {
  assertEquals(
    MODULES.filter(({ text }) =>
      /\bDeno\.(?:stdin|stdout|stderr)\.(?:readable|writable)\b/.test(text)
    )
      .map(({ name }) => name),
    [],
  );
});

Deno.test("the MCP door does without the SDK's server, which loads a validator of schemas", async () => {
  const sdk = await Promise.all(
    ["doors/mcp/sdk.ts", "doors/mcp/sdk_http.ts"].map((name) => Deno.readTextFile(join(SRC, name))),
  );
  assertEquals(
    sdk.flatMap((
      text,
    ) => [
      ...text.matchAll(/from "([^"]*sdk\/(?:server(?:\/(?:index|mcp)\.js)?|validation[^"]*))"/g),
    ])
      .map(([, specifier]) => specifier),
    [],
  );
});

/** Files that the words of something may stand in: `a b` is `a/b.ts`, or `a/b/b.ts` with its parts beside it. */
function placesOf(top: string, words: readonly string[]): string[] {
  const plain = words.map((word) => word.replace(/^--/, "").replaceAll("-", "_"));
  const place = [top, ...plain].join("/");
  return [`${place}.ts`, `${place}/${plain.at(-1)}.ts`];
}

/** Of entries with words, those that no file of their words declares, or more than one. */
function lostOf(top: string, paths: readonly (readonly string[])[]): string[] {
  const texts = new Map(MODULES.map((module) => [module.name, module.text]));
  return paths.flatMap((path) => {
    const declared = `path: ${JSON.stringify(path).replaceAll(",", ", ")},`;
    const found = placesOf(top, path).filter((place) => texts.get(place)?.includes(declared));
    return found.length === 1 ? [] : [`${path.join(" ")}: ${placesOf(top, path).join(" or ")}`];
  });
}

Deno.test("the words of a command are the path of its file", () => {
  const paths = COMMANDS.map(({ path }) => path);
  assertEquals(lostOf("commands", paths.filter(([first]) => first !== "stocktrim")), []);
  // StockTrim is a table: the verbs of a noun stand in the file of the noun.
  const texts = new Map(MODULES.map(({ name, text }) => [name, text]));
  const lost = paths.filter(([first]) => first === "stocktrim").filter((path) => {
    const place = `apps/stocktrim/${path[1]?.replaceAll("-", "_")}.ts`;
    const declared = `path: ${JSON.stringify(path).replaceAll(",", ", ")},`;
    return texts.get(place)?.includes(declared) !== true;
  });
  assertEquals(lost, []);
});

Deno.test("a folder of commands is a word of the command line, or one of the few that several share", () => {
  const shared = ["advice", "look", "outgoing", "removal", "selection"];
  const first = new Set(COMMANDS.map(({ path }) => path[0]?.replaceAll("-", "_")));
  const folders = new Set(
    MODULES.flatMap(({ name }) => /^commands\/([^/]+)\//.exec(name)?.[1] ?? []),
  );
  assertEquals([...folders].filter((name) => !first.has(name) && !shared.includes(name)), []);
});

Deno.test("a program of the command line stands in the file of its words", () => {
  const ofWings = DOOR_WINGS.flatMap(({ programs }) => Object.keys(programs ?? {}));
  const shown = PROGRAMS.filter(({ path, hidden }) =>
    hidden !== true && !ofWings.includes(path.join(" "))
  );
  assertEquals(lostOf("doors/cli/programs", shown.map(({ path }) => path)), []);
});

Deno.test("a command of agentpack stands in the file of its words, work and declaration together", () => {
  const room = "apps/agentpack/command";
  assertEquals(lostOf(room, PACK_COMMANDS.map(({ path }) => path)), []);
});

/** Folders whose folders need each other, with what each brings the others. */
const CIRCLES: Readonly<Record<string, string>> = {
  "doors/cli": "programs are completed, and one of them prints the completion",
  workspace: "tickets have clones, and clones are on the branches of tickets",
};

Deno.test("the folders within a folder stand on each other without a circle", () => {
  /** By folder: which of its folders import which others. */
  const inside = new Map<string, Map<string, Set<string>>>();
  for (const { name, imports } of MODULES) {
    for (const target of imports) {
      const [own, other] = [name.split("/"), target.split("/")];
      const same = own.findIndex((part, index) => part !== other[index]);
      // Where the file itself is on the level where they part, no folder imports another.
      if (same < 0 || same === own.length - 1 || same >= other.length - 1) continue;
      const folder = own.slice(0, same).join("/");
      const below = inside.get(folder) ?? new Map<string, Set<string>>();
      inside.set(folder, below);
      const [from = "", to = ""] = [own[same], other[same]];
      below.set(from, (below.get(from) ?? new Set()).add(to));
    }
  }
  const circles = new Set<string>();
  for (const [folder, below] of inside) {
    const visit = (name: string, way: readonly string[]) => {
      if (way.includes(name)) return void circles.add(folder);
      for (const other of below.get(name) ?? []) visit(other, [...way, name]);
    };
    for (const name of below.keys()) visit(name, []);
  }
  assertEquals([...circles].sort(), Object.keys(CIRCLES));
});

Deno.test("only the real world names the Deno global", () => {
  const naming = MODULES.filter((module) => !module.name.startsWith("base/system/real/"))
    .filter((module) =>
      /\bDeno\.[a-zA-Z]/.test(module.text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, ""))
    );
  assertEquals(naming.map((module) => module.name), []);
});

Deno.test("only git/call/client.ts starts git", () => {
  const starting = MODULES.filter((module) => /command:\s*"git"/.test(module.text)).map((module) =>
    module.name
  );
  assertEquals(starting, ["git/call/client.ts"]);
});

Deno.test("only doors/mcp/sdk.ts imports the MCP SDK, and sdk_http.ts beside it its part for HTTP", () => {
  const importing = MODULES.filter((module) =>
    /from "(?:npm:)?@modelcontextprotocol/.test(module.text)
  ).map((module) => module.name);
  assertEquals(importing, ["doors/mcp/sdk.ts", "doors/mcp/sdk_http.ts"]);
});

Deno.test("std is imported through src/base/std, which knows its types", () => {
  const around = MODULES.filter((module) =>
    !module.name.startsWith("base/std/") &&
    /"(?:npm:\/?)?deno-std|@ts-types="(?!npm:)/.test(module.text)
  ).map((module) => module.name);
  assertEquals(around, []);
});

Deno.test("the types of the MCP SDK are known, not any", async () => {
  const probe = join(ROOT, "src", "doors", "mcp", `.probe-${crypto.randomUUID()}.ts`);
  await Deno.writeTextFile(
    probe,
    `import { CallToolRequestSchema, McpError, Protocol } from "./sdk.ts";\nexport const wrong: [number, number, number] = [Protocol, CallToolRequestSchema, McpError];\n`,
  );
  try {
    const output = await new Deno.Command(Deno.execPath(), {
      args: ["check", "--quiet", probe],
      env: { NO_COLOR: "1" },
      stdout: "null",
      stderr: "piped",
    }).output();
    const text = new TextDecoder().decode(output.stderr);
    assertEquals(output.code, 1);
    assertEquals([...text.matchAll(/TS2322/g)].length, 3, text);
  } finally {
    await Deno.remove(probe);
  }
});

Deno.test("every module and every export has a doc comment", () => {
  const bare: string[] = [];
  for (const module of MODULES) {
    // What stands right above a declaration is about that, and not about the module.
    if (!/^\/\*\*(?:[^*]|\*(?!\/))*\*\/\n\n/.test(module.text)) bare.push(module.name);
    const lines = module.text.split("\n");
    lines.forEach((line, index) => {
      if (
        !/^export (?:async function|function|class|const|interface|type|abstract class) (?!\{)/
          .test(line)
      ) return;
      const above = lines.slice(0, index).reverse().find((text) =>
        !text.startsWith("// deno-lint-ignore")
      );
      if (above?.trim().endsWith("*/") !== true) bare.push(`${module.name}:${index + 1}`);
    });
  }
  assertEquals(bare, []);
});

/** What modules and tests take from modules, by the path from the top: names, or `*` for all of it. */
async function taken(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const found = new Map<string, Set<string>>();
  const files = [
    ...await sources(SRC),
    ...await sources(join(ROOT, "tests")),
    ...await sources(join(ROOT, ".github", "packaging")),
    join(ROOT, "main.ts"),
  ];
  for (const path of files) {
    const text = await Deno.readTextFile(path);
    const take = (specifier: string, names: string) => {
      const target = relative(ROOT, normalize(join(dirname(path), specifier)));
      const known = found.get(target) ?? new Set();
      for (const name of names.split(",")) {
        known.add(name.trim().replace(/^type /, "").split(/ as |:/)[0]?.trim() ?? "");
      }
      found.set(target, known);
    };
    for (
      const [, names = "", specifier = ""] of text.matchAll(
        /(?:im|ex)port(?: type)? \{([^}]*)\} from\s+"(\.[^"]+)"/g,
      )
    ) take(specifier, names);
    for (const [, specifier = ""] of text.matchAll(/\* as \w+ from "(\.[^"]+)"/g)) {
      take(specifier, "*");
    }
    for (const match of text.matchAll(/import\(\s*"(\.[^"]+)",?\s*\)/g)) {
      const before = text.slice(0, match.index);
      const names = /\{([^{}]*)\}\s*=\s*await $/.exec(before)?.[1];
      const member = /^\)\.(\w+)/.exec(text.slice(match.index + match[0].length))?.[1];
      take(match[1] ?? "", names ?? member ?? "*");
    }
  }
  return found;
}

Deno.test("nothing is exported that nobody takes", async () => {
  const users = await taken();
  const idle: string[] = [];
  for (const { name, text } of MODULES) {
    const known = users.get(`src/${name}`) ?? new Set();
    // What stands for a library has all of it that is used somewhere.
    if (known.has("*") || name.startsWith("base/std/")) continue;
    const declared = [
      ...text.matchAll(
        /^export (?:async )?(?:function\*?|(?:abstract )?class|const|interface|type) (\w+)/gm,
      ),
    ].map((match) => match[1] ?? "");
    const passedOn = [...text.matchAll(/^export (?:type )?\{([^}]*)\} from/gm)]
      .flatMap((match) => (match[1] ?? "").split(","))
      .map((entry) => entry.trim().replace(/^type /, "").split(" as ").at(-1)?.trim() ?? "")
      .filter((entry) => entry !== "");
    for (const each of [...declared, ...passedOn]) {
      if (!known.has(each)) idle.push(`${name}: ${each}`);
    }
  }
  assertEquals(idle, []);
});

Deno.test("the root holds only what belongs there", async () => {
  const allowed = new Set([
    "deno.json",
    "deno.lock",
    "main.ts",
    "src",
    "tests",
    "schemas",
    ".github",
    ".ci",
    "README.md",
    "CHANGELOG.md",
    "LICENSE",
    ".gitignore",
    "findings",
  ]);
  // An archive of the sources has no record of what belongs to it: everything does but what is made.
  const { success, stdout } = await new Deno.Command("git", {
    args: ["-C", ROOT, "ls-files"],
    env: { GIT_CEILING_DIRECTORIES: dirname(ROOT.replace(/[\\/]$/, "")) },
    stdout: "piped",
    stderr: "null",
  }).output();
  const paths = success
    ? new TextDecoder().decode(stdout).split("\n").filter((name) => name !== "")
    : (await Array.fromAsync(Deno.readDir(ROOT), ({ name }) => name)).filter((name) =>
      name !== "bin"
    );
  const names = new Set(paths.map((path) => path.split("/")[0] ?? ""));
  assert(names.has("main.ts"));
  assertEquals([...names].filter((name) => !allowed.has(name)), []);
});
