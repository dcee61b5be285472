// The files every target makes of every type of module in both scopes, to the byte.

import { bytesOf, decodeText, hashOf, textOf } from "../../../../../src/apps/agentpack/content.ts";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { sha256 } from "../../../../../src/base/hash.ts";
import { buildDesired, type Desired } from "../../../../../src/apps/agentpack/engine/desired.ts";
import { loadSession, type Session } from "../../../../../src/apps/agentpack/engine/session.ts";
import { TARGET_NAMES, type TargetName } from "../../../../../src/apps/agentpack/names.ts";
import { outputTable, TARGETS } from "../../../../../src/apps/agentpack/target/table.ts";
import { booleanOption, knownOptions } from "../../../../../src/apps/agentpack/target/target.ts";
import { promptName } from "../../../../../src/apps/agentpack/target/vscode.ts";
import { assertCode } from "../../../../support/assert_code.ts";
import { PackWorld } from "../../../../support/pack_world.ts";

const SKILL = "---\nname: tidy\ndescription: Sort imports.\n---\n\nUse scripts/run.sh.\n";
const COMMAND = "---\ndescription: Ship it\n---\nGo.\n";

const MODULES = `modules:
  - { id: "instructions:beta", type: instructions, tags: [base], source: { local_path: { path: m/beta } } }
  - { id: "instructions:alpha", type: instructions, tags: [base], source: { local_path: { path: m/alpha } } }
  - { id: "skill:tidy", type: skill, tags: [base], source: { local_path: { path: m/tidy } } }
  - { id: "prompt:changelog", type: prompt, tags: [base], source: { local_path: { path: m/changelog.md } } }
  - { id: "command:ship", type: command, tags: [base], source: { local_path: { path: m/ship } } }
`;

const SERVER = `
  - { id: "mcp_server:search", type: mcp_server, tags: [base], source: { local_path: { path: m/search.json } } }`;
const HOOK = `
  - { id: "hook:check", type: hook, tags: [base], source: { local_path: { path: m/check.json } } }`;
const SUBAGENT =
  `  - { id: "subagent:reviewer", type: subagent, tags: [base], source: { local_path: { path: m/reviewer.md } } }\n`;

async function setUp(world: PackWorld, targets: string, modules = MODULES): Promise<void> {
  await world.config(
    `version: 1\nprofiles: { default: { include_tags: [base] } }\ntargets:\n${targets}\n${modules}`,
  );
  await world.write("m/alpha/AGENTS.md", "# Alpha\n\nUse tabs.\n");
  await world.write("m/beta/AGENTS.md", "# Beta\n\nUse UTC.");
  await world.write("m/tidy/SKILL.md", SKILL);
  await world.write("m/tidy/scripts/run.sh", "#!/bin/sh\necho hi\n", 0o755);
  await world.write("m/changelog.md", "Write a changelog entry.\n");
  await world.write("m/ship/ship.md", COMMAND);
}

async function build(world: PackWorld): Promise<{ session: Session; desired: Desired }> {
  const session = await loadSession(world.reader(), {});
  return { session, desired: await buildDesired(session) };
}

/** Path below home (`~`) or project (`.`), hash, execute bit and modules of each desired file. */
function shown(world: PackWorld, desired: Desired): Record<string, string> {
  return Object.fromEntries(desired.files.map((file) => [
    file.path.replace(world.project, ".").replace(world.home, "~"),
    `${hashOf(file.bytes).slice(0, 12)}${file.executable ? "*" : ""} ${file.moduleIds.join("+")}`,
  ]));
}

const BOTH = "ab7c86680266 instructions:alpha+instructions:beta";
const RUN = "299001868fb8* skill:tidy";
const MD = "054ad34d0bba skill:tidy";
const PROMPT = "57053da43700 prompt:changelog";
const SHIP = `${sha256(COMMAND).slice(0, 12)} command:ship`;

/** Expected files by target and scope. */
const EXPECTED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "codex user": {
    "~/.codex/AGENTS.md": BOTH,
    "~/.codex/prompts/changelog.md": PROMPT,
    "~/.codex/skills/tidy/SKILL.md": MD,
    "~/.codex/skills/tidy/scripts/run.sh": RUN,
  },
  "codex project": {
    "./.codex/skills/tidy/SKILL.md": MD,
    "./.codex/skills/tidy/scripts/run.sh": RUN,
    "./AGENTS.md": BOTH,
  },
  "claude_code user": { "~/.claude/commands/ship.md": SHIP },
  "claude_code project": { "./.claude/commands/ship.md": SHIP },
  "cursor project": {
    "./.cursor/rules/instructions_alpha--353cc78a42.mdc": "ee3159fce92d instructions:alpha",
    "./.cursor/rules/instructions_beta--451a63fa80.mdc": "fab54c7e0b35 instructions:beta",
  },
  "vscode project": {
    "./.github/copilot-instructions.md": BOTH,
    "./.github/prompts/changelog.prompt.md": PROMPT,
  },
  "jetbrains project": { "./.junie/guidelines.md": BOTH },
  "zed project": { "./.rules": BOTH },
  "gemini user": { "~/.gemini/GEMINI.md": BOTH },
  "gemini project": { "./GEMINI.md": BOTH },
  "export_dir user": {
    "./out/AGENTS.md": BOTH,
    "./out/commands/ship.md": SHIP,
    "./out/prompts/changelog.md": PROMPT,
    "./out/skills/tidy/SKILL.md": MD,
    "./out/skills/tidy/scripts/run.sh": RUN,
  },
};

for (const [name, files] of Object.entries(EXPECTED)) {
  Deno.test(`buildDesired() gives the exact files of ${name}`, async () => {
    await using world = await PackWorld.inMemory();
    const [target, scope] = name.split(" ");
    const options = target === "export_dir"
      ? ", options: { root: out }"
      : target === "codex"
      ? ", options: { write_user_prompts: true, write_prompt_skills: false }"
      : "";
    await setUp(world, `  ${target}: { mode: files, scope: ${scope}${options} }`);
    assertEquals(shown(world, (await build(world)).desired), files);
  });
}

Deno.test("buildDesired() with scope both writes to both places", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(
    world,
    "  codex: { mode: files, scope: both, options: { write_user_prompts: true, write_prompt_skills: false } }\n  export_dir: { mode: files, scope: both, options: { root: ~/exp } }",
  );
  const { desired } = await build(world);
  const exported = Object.entries(EXPECTED["export_dir user"] ?? {});
  assertEquals(shown(world, desired), {
    ...EXPECTED["codex project"],
    ...EXPECTED["codex user"],
    ...Object.fromEntries(
      exported.map(([path, value]) => [path.replace("./out", "~/exp/user"), value]),
    ),
    ...Object.fromEntries(
      exported.map(([path, value]) => [path.replace("./out", "~/exp/project"), value]),
    ),
  });
});

Deno.test("buildDesired() makes skills of prompts for Codex, which no longer reads them", async () => {
  await using world = await PackWorld.inMemory();
  const codex = "  codex: { mode: files, scope: user, options: { write_agents_global: false } }";
  await setUp(world, codex, MODULES);
  const skill = async () => {
    const { desired } = await build(world);
    const made = desired.files.find(({ path }) => path.endsWith("skills/changelog/SKILL.md"));
    return { text: textOf(made?.bytes ?? new Uint8Array()), ...desired, made };
  };
  assertEquals(
    (await skill()).text,
    '---\nname: "changelog"\ndescription: "Write a changelog entry."\n---\n\nWrite a changelog entry.\n',
  );
  assertEquals((await skill()).made?.wayBack.kind, "below_header");
  await world.write("m/changelog.md", "---\ndescription: For $1\n---\n\nWrite of $1 $ARGUMENTS.\n");
  const { text, warnings } = await skill();
  assertEquals(
    text,
    '---\nname: "changelog"\ndescription: "For $1"\n---\n\nWrite of $1 $ARGUMENTS.\n',
  );
  assertEquals(warnings, [
    'The prompt "prompt:changelog" has $1 and $ARGUMENTS, which codex does not know',
  ]);
  // A skill keeps its place.
  await setUp(
    world,
    codex,
    MODULES.replace("prompt:changelog", "prompt:tidy") + `
  - { id: "skill:changelog", type: skill, tags: [base], source: { local_path: { path: m/tidy } } }`,
  );
  const left = await skill();
  assertStringIncludes(left.text ?? "", "name: tidy");
  assertStringIncludes(left.warnings.join(), 'would be a skill of the name of "skill:changelog"');
  // Who wanted no prompts gets no skills of them.
  await setUp(world, codex.replace("false", "false, write_user_prompts: false"), MODULES);
  assertEquals((await skill()).made, undefined);
});

Deno.test("buildDesired() tells of a module that names a target which has nothing of its type", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(
    world,
    "  zed: { mode: files, scope: project }",
    MODULES.replace('"skill:tidy",', '"skill:tidy", targets: [zed],'),
  );
  assertEquals((await build(world)).desired.warnings, [
    '"skill:tidy" is left out of zed, which has nothing of type skill',
  ]);
});

Deno.test("buildDesired() gives cursor files their whole bytes of appendix A", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, "  cursor: { mode: files, scope: both }");
  const { desired } = await build(world);
  assertEquals(desired.files.map((file) => hashOf(file.bytes)), [
    "ee3159fce92d726fd3e517ae4eaabb12d4eda95f861be82661e2d6bc6e7e57a4",
    "fab54c7e0b357c68aa3285a965a089523a89cef7d94b7b8febf3f3b6fb092778",
  ]);
});

/** Where files and entries would be. */
function places(world: PackWorld, desired: Desired): string[] {
  return [...Object.keys(shown(world, desired)), ...desired.entries.map(({ path }) => path)];
}

Deno.test("buildDesired() switches each output with its option", async () => {
  for (const row of outputTable().filter((row) => row.option !== null)) {
    await using world = await PackWorld.inMemory();
    await world.write("m/reviewer.md", "---\nname: reviewer\ndescription: Reviews\n---\nRead.\n");
    const switched = `  ${row.target}: { mode: files, scope: both, options: { ${row.option}: ${!row
      .default} } }`;
    await world.write("m/search.json", '{ "command": "search-mcp" }\n');
    await world.write("m/check.json", '{ "hooks": [{ "event": "stop", "command": "check" }] }\n');
    await setUp(world, switched, MODULES + SUBAGENT + SERVER + HOOK);
    const flipped = places(world, (await build(world)).desired);
    await setUp(
      world,
      `  ${row.target}: { mode: files, scope: both }`,
      MODULES + SUBAGENT + SERVER + HOOK,
    );
    const plain = places(world, (await build(world)).desired);
    const [more, less] = row.default ? [plain, flipped] : [flipped, plain];
    assert(more.length > less.length, `${row.target} ${row.option}`);
    assertEquals(less.filter((path) => !more.includes(path)), []);
  }
});

Deno.test("buildDesired() honours a module's own targets and metadata.scope (weakness 9.9)", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(
    world,
    "  codex: { mode: files, scope: both, options: { write_user_prompts: true, write_prompt_skills: false } }\n  zed: { mode: files, scope: project }",
    MODULES.replace(
      '"instructions:beta", type: instructions,',
      '"instructions:beta", type: instructions, targets: [zed],',
    )
      .replace(
        '"instructions:alpha", type: instructions,',
        '"instructions:alpha", type: instructions, metadata: { scope: project },',
      ),
  );
  const files = shown(world, (await build(world)).desired);
  assertEquals(files["~/.codex/AGENTS.md"], undefined);
  assertEquals(files["./AGENTS.md"]?.split(" ")[1], "instructions:alpha");
  assertEquals(files["./.rules"], BOTH);
});

Deno.test("buildDesired() renders Cursor's metadata, never globs next to alwaysApply", async () => {
  await using world = await PackWorld.inMemory();
  const header = async (metadata: string) => {
    await setUp(
      world,
      "  cursor: { mode: files, scope: project }",
      MODULES.replace(
        '"instructions:alpha", type: instructions,',
        `"instructions:alpha", type: instructions, metadata: { cursor: ${metadata} },`,
      ),
    );
    const { desired } = await build(world);
    const text =
      decodeText(bytesOf(desired.files[0]?.bytes ?? new Uint8Array()) ?? new Uint8Array()) ?? "";
    return { lines: text.split("\n").slice(1, 4), warnings: desired.warnings.length };
  };
  assertEquals(await header("{ globs: ['*.ts', '*.js'], description: 'Say \"hi\"' }"), {
    lines: ['description: "Say \\"hi\\""', 'globs: ["*.ts","*.js"]', "alwaysApply: false"],
    warnings: 0,
  });
  assertEquals(await header("{ globs: '*.ts', alwaysApply: true }"), {
    lines: ['description: "agentpack: instructions:alpha"', "globs: []", "alwaysApply: true"],
    warnings: 1,
  });
});

Deno.test("buildDesired() writes the additional outputs that are off by default", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(
    world,
    "  claude_code: { mode: files, scope: both, options: { write_claude_md: true, write_user_commands: false, write_repo_commands: 'no' } }\n" +
      "  codex: { mode: files, scope: user, options: { write_agents_skills: 'yes', write_user_skills: 0 } }",
  );
  const files = shown(world, (await build(world)).desired);
  assertEquals(
    files["./CLAUDE.md"],
    `${sha256("@AGENTS.md\n").slice(0, 12)} instructions:alpha+instructions:beta`,
  );
  assertEquals(files["~/.agents/skills/tidy/SKILL.md"], MD);
  // The number 0 is not accepted as "no", so the default applies.
  assertEquals(files["~/.codex/skills/tidy/SKILL.md"], MD);
});

Deno.test("buildDesired() keeps a file that two modules want alike and refuses different ones", async () => {
  await using world = await PackWorld.inMemory();
  const more =
    '  - { id: "prompt:other", type: prompt, tags: [base], source: { local_path: { path: m/other/changelog.md } } }\n';
  await setUp(
    world,
    "  codex: { mode: files, scope: user, options: { write_user_prompts: true, write_prompt_skills: false } }",
    MODULES + more,
  );
  await world.write("m/other/changelog.md", "Write a changelog entry.\n");
  const files = shown(world, (await build(world)).desired);
  assertEquals(files["~/.codex/prompts/changelog.md"], `${PROMPT}+prompt:other`);
  await world.write("m/other/changelog.md", "Other.\n");
  const error = await assertCode("E_DESIRED_STATE_CONFLICT", () => build(world), {
    target: "codex",
    path: join(world.home, ".codex/prompts/changelog.md"),
  });
  const ids = (side: unknown) => (side as { module_ids: string[] }).module_ids;
  assertEquals(ids(error.details?.["existing"]), ["prompt:changelog"]);
  assertEquals(ids(error.details?.["new"]), ["prompt:other"]);
});

Deno.test("buildDesired() refuses two targets that want one file differently", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(
    world,
    "  codex: { mode: files, scope: project }\n  export_dir: { mode: files, scope: project, options: { root: . } }",
    MODULES.replace(
      '"instructions:beta", type: instructions,',
      '"instructions:beta", type: instructions, targets: [codex],',
    ),
  );
  await assertCode("E_DESIRED_STATE_CONFLICT", () => build(world), { target: "export_dir" });
});

Deno.test("buildDesired() composes only what the selected targets need, and codex skills always", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, "  zed: { mode: files, scope: project }");
  await world.files.remove(join(world.repo, "m/ship/ship.md"));
  await world.files.remove(join(world.repo, "m/tidy/SKILL.md"));
  assertEquals((await build(world)).desired.files.length, 1);
  await setUp(
    world,
    "  codex: { mode: files, scope: user, options: { write_user_skills: false, write_user_prompts: true, write_prompt_skills: false } }",
  );
  await world.files.remove(join(world.repo, "m/tidy/SKILL.md"));
  await assertCode("E_CONFIG_INVALID", () => build(world), { module_id: "skill:tidy" });
});

Deno.test("loadSession() finds the roots of each target with what is scanned", async () => {
  await using world = await PackWorld.inMemory({ env: { CODEX_HOME: "~/cx" } });
  const targets = TARGET_NAMES.map((name: TargetName) =>
    `  ${name}: { mode: files, scope: both${
      name === "export_dir" ? ", options: { root: /exp, scan_extras: false }" : ""
    } }`
  ).join("\n");
  await setUp(world, targets);
  const { session } = await build(world);
  assertEquals(
    session.roots.map(({ target, root, scanExtras }) =>
      `${target} ${root.replace(world.project, ".").replace(world.home, "~")} ${scanExtras}`
    ),
    [
      "claude_code ~/.claude/commands true",
      "claude_code ./.claude/commands true",
      "codex ~/cx false",
      "codex ~/cx/skills true",
      "codex . false",
      "codex ./.codex/skills true",
      "cursor ./.cursor/rules true",
      "export_dir /exp/project false",
      "export_dir /exp/user false",
      "gemini ~/.gemini false",
      "gemini . false",
      "jetbrains ./.junie true",
      "vscode ./.github false",
      "vscode ./.github/prompts true",
      "windsurf ~/.codeium/windsurf/memories false",
      "windsurf ./.windsurf/rules true",
      "windsurf ./.windsurf/workflows true",
      "zed . false",
    ],
  );
});

Deno.test("loadSession() lets the option codex_home win over the variable unless it is blank", async () => {
  await using world = await PackWorld.inMemory({ env: { CODEX_HOME: "/env" } });
  const home = async (option: string) => {
    await setUp(world, `  codex: { mode: files, scope: user, options: { codex_home: ${option} } }`);
    return (await build(world)).session.roots[0]?.root;
  };
  assertEquals(await home("~/own"), join(world.home, "own"));
  assertEquals(await home("'  '"), "/env");
  assertEquals(await home("7"), "/env");
});

Deno.test("loadSession() wants a root for export_dir", async () => {
  await using world = await PackWorld.inMemory();
  for (const options of ["{}", "{ root: ' ' }"]) {
    await setUp(world, `  export_dir: { mode: files, scope: user, options: ${options} }`);
    await assertCode("E_CONFIG_INVALID", () => build(world), {
      target: "export_dir",
      option: "root",
    });
  }
});

Deno.test("loadSession() ignores a broken lockfile with a warning unless a git module needs it", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, "  zed: { mode: files, scope: project }");
  await world.write("agentpack.lock.json", "{");
  assertEquals((await build(world)).session.warnings.length, 1);
  await setUp(
    world,
    "  zed: { mode: files, scope: project }",
    MODULES +
      '  - { id: "skill:g", type: skill, tags: [base], source: { git: { url: "https://x.invalid/y" } } }\n',
  );
  await assertCode("E_LOCKFILE_INVALID", () => build(world));
});

Deno.test("loadSession() refuses a misspelt option, and warns of one that nobody knows", async () => {
  await using world = await PackWorld.inMemory();
  const withOption = (option: string) =>
    setUp(
      world,
      `  claude_code: { mode: files, scope: both, options: { ${option}: true } }\n  zed: { mode: files, scope: project }`,
    );
  await withOption("write_user_skill");
  await assertCode("E_CONFIG_INVALID", () => build(world), {
    target: "claude_code",
    option: "write_user_skill",
    did_you_mean: "write_user_skills",
  });
  assertEquals((await loadSession(world.reader(), { target: "zed" })).warnings, []);
  await withOption("colour");
  assertEquals((await build(world)).session.warnings, [
    'The target "claude_code" has no option "colour", which is without effect',
  ]);
  for (const { target, option } of outputTable()) {
    if (option !== null) assert(knownOptions(TARGETS[target]).includes(option), option);
  }
});

Deno.test("booleanOption() takes words for yes and no and else the default", () => {
  const value = (text: unknown) => booleanOption({ on: text }, "on", true);
  assertEquals([true, " YES ", "1", "maybe", null, 0].map(value), [
    true,
    true,
    true,
    true,
    true,
    true,
  ]);
  assertEquals([false, "no", "0", " False "].map(value), [false, false, false, false]);
});

Deno.test("promptName() ends in .prompt.md", () => {
  assertEquals(["a.md", "a.prompt.md", "a.txt"].map(promptName), [
    "a.prompt.md",
    "a.prompt.md",
    "a.txt.prompt.md",
  ]);
});

Deno.test("outputTable() has a row for every output of the specification", () => {
  const own = ["export_dir", "gemini", "windsurf"];
  const rows = outputTable().filter((row) => !own.includes(row.target) && row.default);
  assertEquals(rows.length, 12);
  assertEquals(new Set(outputTable().map((row) => row.target)).size, TARGET_NAMES.length);
});
