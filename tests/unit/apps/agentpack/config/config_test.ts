import { assertEquals, assertStringIncludes } from "@std/assert";
import {
  type Config,
  loadConfig,
  parseConfig,
} from "../../../../../src/apps/agentpack/config/config.ts";
import { selectModules, selectTargets } from "../../../../../src/apps/agentpack/config/select.ts";
import { memoryWorld } from "../../../../support/memory.ts";
import { assertCode } from "../../../../support/assert_code.ts";

const parse = (text: string): Promise<Config> => parseConfig(text, "/repo/agentpack.yaml");
const BASE = "version: 1\nprofiles:\n  default: {}\n";

function module(lines: string): string {
  return `${BASE}modules:\n  - id: "skill:x"\n    type: skill\n${lines}`;
}
const LOCAL = "    source: { local_path: { path: x } }\n";

Deno.test("parseConfig() fills in every default", async () => {
  const config = await parse(module(LOCAL));
  assertEquals([...config.profiles], [["default", {
    includeTags: [],
    includeModules: [],
    excludeModules: [],
  }]]);
  assertEquals(config.modules, [{
    id: "skill:x",
    type: "skill",
    enabled: true,
    tags: [],
    targets: [],
    source: { kind: "local", path: "x" },
    metadata: {},
  }]);
  assertEquals(config.targets.size, 0);
});

Deno.test("parseConfig() refuses members that are nearly ones that count", async () => {
  for (
    const [text, member, meant] of [
      [`${BASE.replace("{}", "{ include_tag: [base] }")}`, "include_tag", "include_tags"],
      [
        `${BASE}targets: { codex: { mode: files, scope: both, option: {} } }\n`,
        "option",
        "options",
      ],
      [module(`${LOCAL}    target: [codex]\n`), "target", "targets"],
      [module(`${LOCAL}    metdata: {}\n`), "metdata", "metadata"],
      [module(`${LOCAL}    metadata: { scpoe: user }\n`), "scpoe", "scope"],
      [module(`${LOCAL}    metadata: { cursor: { glob: [a] } }\n`), "glob", "globs"],
      [
        module(`${LOCAL}    metadata: { cursor: { alwaysapply: true } }\n`),
        "alwaysapply",
        "alwaysApply",
      ],
    ] as const
  ) {
    const { message, details } = await assertCode("E_CONFIG_INVALID", () => parse(text));
    assertStringIncludes(message, `has no member "${member}"; did you mean "${meant}"?`);
    assertEquals([details?.["field"], details?.["did_you_mean"]], [member, meant]);
  }
});

Deno.test("parseConfig() ignores unknown keys at every level and takes null for maps and lists", async () => {
  const config = await parse(
    `${BASE}future: 1\ntargets:\n  codex: { mode: files, scope: both, options: null, more: 1 }\n` +
      `modules:\n  - id: a\n    type: prompt\n    tags: null\n    targets: null\n    metadata: null\n` +
      `    other: 2\n    source: { git: { url: https://x.invalid/y.git, ref: null, depth: 3 }, local_path: null }\n`,
  );
  assertEquals(config.targets.get("codex"), { scope: "both", options: {} });
  assertEquals(config.modules[0]?.source, {
    kind: "git",
    url: "https://x.invalid/y.git",
    ref: "main",
    subdir: "",
    shallow: true,
  });
  assertEquals(
    (await parse("version: 1\nprofiles: { default: null }\nmodules: null\n")).modules,
    [],
  );
});

Deno.test("loadConfig() says that the configuration is missing", async () => {
  const { files } = memoryWorld().system;
  await assertCode("E_CONFIG_MISSING", () => loadConfig(files, "/repo/agentpack.yaml"), {
    path: "/repo/agentpack.yaml",
    reason_code: "config_missing",
    next_actions: ["run_init", "retry_with_repo", "retry_command"],
  });
});

Deno.test("parseConfig() refuses wrong shapes, naming the file", async () => {
  for (
    const text of [
      "",
      "[1]",
      "version: '1'\nprofiles: {default: {}}",
      "a: [",
      module("    enabled: yes\n" + LOCAL),
      module("    tags: base\n" + LOCAL),
      `${BASE}modules:\n  - id: x\n    type: agent\n${LOCAL}`,
      `${BASE}modules:\n  - type: skill\n${LOCAL}`,
      `${BASE}targets: { codex: { mode: link, scope: both } }\n`,
      `${BASE}targets: { codex: { mode: files } }\n`,
      "version: 1\nversion: 1\n",
    ]
  ) {
    const error = await assertCode("E_CONFIG_INVALID", () => parse(text), {
      path: "/repo/agentpack.yaml",
    });
    assertEquals(typeof error.details?.["error"], "string", text);
  }
});

Deno.test("parseConfig() names an unsupported version even when its shape differs", async () => {
  await assertCode("E_CONFIG_UNSUPPORTED_VERSION", () => parse("version: 2\nprofiles: 7\n"), {
    version: 2,
    supported: [1],
  });
});

Deno.test("parseConfig() checks in the order of the contract", async () => {
  await assertCode(
    "E_TARGET_UNSUPPORTED",
    () => parse("version: 1\nprofiles: {}\ntargets: { emacs: { mode: files, scope: both } }\n"),
    { target: "emacs", reason_code: "target_not_compiled" },
  );
  for (const target of ["cursor", "vscode", "jetbrains", "zed"]) {
    await assertCode(
      "E_CONFIG_INVALID",
      () =>
        parse(`version: 1\nprofiles: {}\ntargets: { ${target}: { mode: files, scope: user } }\n`),
      { target, allowed_scopes: ["project", "both"] },
    );
  }
  await assertCode(
    "E_CONFIG_INVALID",
    () =>
      parse("version: 1\nprofiles: { work: {} }\nmodules:\n  - {id: a, type: skill, source: {}}\n"),
    { profile: "default" },
  );
  await assertCode(
    "E_CONFIG_INVALID",
    () =>
      parse(module(`${LOCAL}  - { id: "skill:x", type: skill, targets: [emacs], source: {} }\n`)),
    { module_id: "skill:x" },
  );
  await assertCode(
    "E_TARGET_UNSUPPORTED",
    () => parse(module("    targets: [emacs]\n    source: {}\n")),
    {
      module_id: "skill:x",
      target: "emacs",
    },
  );
});

Deno.test("parseConfig() wants exactly one source", async () => {
  const git = "git: { url: https://x.invalid/y.git }";
  for (const source of ["{}", `{ local_path: { path: x }, ${git} }`]) {
    await assertCode("E_CONFIG_INVALID", () => parse(module(`    source: ${source}\n`)), {
      module_id: "skill:x",
    });
  }
});

Deno.test("parseConfig() refuses git sources that git could misread or that leave their checkout", async () => {
  for (
    const git of [
      "url: 'ext::sh -c touch% x'",
      "url: --upload-pack=x",
      "{ url: u, ref: --force }",
      "{ url: u, subdir: ../x }",
      "{ url: u, subdir: a/../../x }",
      "{ url: u, subdir: /x }",
    ]
  ) {
    const inner = git.startsWith("{") ? git : `{ ${git} }`;
    await assertCode("E_CONFIG_INVALID", () => parse(module(`    source: { git: ${inner} }\n`)), {
      module_id: "skill:x",
    });
  }
});

Deno.test("parseConfig() refuses ids that would leave the root of a target", async () => {
  const text = module(LOCAL).replace('"skill:x"', '"skill:../../x"');
  await assertCode("E_CONFIG_INVALID", () => parse(text), { module_id: "skill:../../x" });
});

const PROFILES = `version: 1
profiles:
  default: { include_tags: [base] }
  extra: { include_tags: [work], include_modules: ["prompt:z", "prompt:off"], exclude_modules: ["prompt:b"] }
targets:
  zed: { mode: files, scope: project }
  codex: { mode: files, scope: both }
modules:
  - { id: "prompt:z", type: prompt, source: { local_path: { path: z } } }
  - { id: "prompt:b", type: prompt, tags: [work, base], source: { local_path: { path: b } } }
  - { id: "prompt:a", type: prompt, tags: [work], source: { local_path: { path: a } } }
  - { id: "prompt:off", type: prompt, enabled: false, tags: [base], source: { local_path: { path: o } } }
`;

Deno.test("selectModules() includes by tag or id, excludes last, and does not inherit", async () => {
  const config = await parse(PROFILES);
  const ids = (profile: string) => selectModules(config, profile).map((module) => module.id);
  assertEquals(ids("default"), ["prompt:b"]);
  assertEquals(ids("extra"), ["prompt:a", "prompt:z"]);
});

Deno.test("selectModules() names the profiles there are", async () => {
  const config = await parse(PROFILES);
  await assertCode("E_CONFIG_INVALID", () => Promise.try(() => selectModules(config, "extr")), {
    profile: "extr",
    available: ["default", "extra"],
  });
});

Deno.test("selectTargets() tells unknown targets from unconfigured ones", async () => {
  const config = await parse(PROFILES);
  assertEquals(selectTargets(config, "all"), ["codex", "zed"]);
  assertEquals(selectTargets(config, "zed"), ["zed"]);
  await assertCode("E_CONFIG_INVALID", () => Promise.try(() => selectTargets(config, "cursor")), {
    target: "cursor",
  });
  const error = await assertCode(
    "E_TARGET_UNSUPPORTED",
    () => Promise.try(() => selectTargets(config, "emacs")),
    { target: "emacs", reason_code: "target_filter_unsupported" },
  );
  assertEquals((error.details?.["allowed"] as string[])[0], "all");
});
