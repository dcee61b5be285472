import { assertEquals } from "@std/assert";
import { parseConfig } from "../../../../../src/apps/agentpack/config/config.ts";
import {
  addModules,
  addProfile,
  type NewModule,
  removeModule,
} from "../../../../../src/apps/agentpack/config/edit.ts";
import { withEndsOf } from "../../../../../src/base/text/yaml_edit.ts";
import { assertCode } from "../../../../support/assert_code.ts";

const skill: NewModule = {
  id: "skill:new",
  type: "skill",
  tags: ["base", "yes"],
  targets: ["codex"],
  source: { kind: "local", path: "modules/new" },
};
const LINES = `- id: "skill:new"
  type: skill
  tags: [base, "yes"]
  targets: [codex]
  source:
    local_path:
      path: modules/new
`;

function indented(text: string, indent: string): string {
  return text.replace(/^(?=.)/gm, indent);
}

const HEAD = `# What I deploy.
version: 1   # the only one

profiles:
    default: {include_tags: [base]}
future: {a: 1}
`;
const BODY = `modules:
  # first
  - id: "prompt:a"    # a
    type: prompt
    later: true
    source: {local_path: {path: a.md}}   # here

  # about b
  # more about b
  - id: "prompt:b"
    type: prompt
    source:
      local_path:
        path: "b.md" # there
# tail
`;

Deno.test("addModules() appends behind the last module and leaves everything else to the byte", async () => {
  const edited = await addModules(HEAD + BODY, [skill]);
  assertEquals(edited, HEAD + BODY.replace("# tail\n", `${indented(LINES, "  ")}# tail\n`));
  await parseConfig(edited, "x");
});

Deno.test("addModules() keeps the indentation that the list has", async () => {
  const flush = `${HEAD}modules:\n- id: a\n  type: prompt\n  source: {local_path: {path: a.md}}`;
  const edited = await addModules(flush, [skill]);
  assertEquals(edited, `${flush}\n${LINES}`);
  assertEquals((await parseConfig(edited, "x")).modules.length, 2);
});

Deno.test("addModules() begins the list where it is missing or empty", async () => {
  const block = `modules:\n${indented(LINES, "  ")}`;
  assertEquals(await addModules(HEAD, [skill]), HEAD + block);
  assertEquals(
    await addModules(`${HEAD}modules: []\nmore: 1\n`, [skill]),
    `${HEAD}${block}more: 1\n`,
  );
  assertEquals(
    await addModules(`${HEAD}modules: [] # none\n`, [skill]),
    `${HEAD}modules: # none\n${indented(LINES, "  ")}`,
  );
  assertEquals(await addModules(`${HEAD}modules:\n`, [skill]), HEAD + block);
  assertEquals(await addModules(`${HEAD}modules: null`, [skill]), HEAD + block);
});

Deno.test("addModules() writes a list in flow style anew, with its comments", async () => {
  const edited = await addModules(
    `${HEAD}modules: [{id: a, type: prompt, source: {local_path: {path: a.md}}}]\n`,
    [skill],
  );
  assertEquals(edited.includes("# What I deploy.") && edited.includes("# the only one"), true);
  assertEquals((await parseConfig(edited, "x")).modules.map((module) => module.id), [
    "a",
    "skill:new",
  ]);
});

Deno.test("addModules() writes git sources without what is the default", async () => {
  const git = (source: Partial<Extract<NewModule["source"], { kind: "git" }>>): NewModule => ({
    ...skill,
    tags: [],
    targets: [],
    source: {
      kind: "git",
      url: "https://x.invalid/y.git",
      ref: "main",
      subdir: "",
      shallow: true,
      ...source,
    },
  });
  const read = async (module: NewModule) => {
    const text = await addModules(HEAD, [module]);
    return { text, source: (await parseConfig(text, "x")).modules[0]?.source };
  };
  const plain = await read(git({}));
  assertEquals(plain.text.endsWith('    git:\n        url: "https://x.invalid/y.git"\n'), true);
  const full = git({ ref: "1.0", subdir: "a b", shallow: false });
  assertEquals((await read(full)).source, full.source);
});

Deno.test("addProfile() adds to a block map, and to a missing one", async () => {
  const edited = await addProfile(HEAD + BODY, "project-1", ["base", "project-1"]);
  assertEquals(
    edited,
    (HEAD + BODY).replace(
      "[base]}\n",
      "[base]}\n    project-1:\n      include_tags: [base, project-1]\n",
    ),
  );
  assertEquals(
    (await parseConfig(edited, "x")).profiles.get("project-1")?.includeTags,
    ["base", "project-1"],
  );
  const flow = await addProfile("version: 1\nprofiles: {default: {}}\n", "p", ["t"]);
  assertEquals((await parseConfig(flow, "x")).profiles.get("p")?.includeTags, ["t"]);
});

Deno.test("removeModule() takes the module and the comment above it, nothing else", async () => {
  assertEquals(
    await removeModule(HEAD + BODY, "prompt:b"),
    HEAD + BODY.slice(0, BODY.indexOf("  # about b")) + "# tail\n",
  );
  assertEquals(
    await removeModule(HEAD + BODY, "prompt:a"),
    HEAD + BODY.replace(/ {2}- id: "prompt:a"[^]*?# here\n/, ""),
  );
});

Deno.test("removeModule() leaves an empty list behind the last one, and knows flow style", async () => {
  const one =
    `${HEAD}modules: # mine\n  - id: a\n    type: prompt\n    source: {local_path: {path: a.md}}\nmore: 1\n`;
  const edited = await removeModule(one, "a");
  assertEquals(edited, `${HEAD}modules: [] # mine\nmore: 1\n`);
  const flow = `${HEAD}modules: [{id: a, type: prompt, source: {local_path: {path: a.md}}}]\n`;
  assertEquals((await parseConfig(await removeModule(flow, "a"), "x")).modules, []);
});

Deno.test("removeModule() of an unknown id is refused", async () => {
  await assertCode("E_CONFIG_INVALID", () => removeModule(HEAD + BODY, "prompt:c"), {
    module_id: "prompt:c",
  });
});

Deno.test("edits keep lines that end in CR LF, and leave a text with both kinds as it is", async () => {
  const text = withEndsOf(
    "\r\n",
    "version: 1\n# kept\nprofiles:\n  default: {}\nmodules:\n  - id: a\n    type: prompt\n",
  );
  const added = await addModules(text, [skill]);
  assertEquals(added.startsWith(text), true);
  assertEquals(/(?<!\r)\n/.test(added), false, JSON.stringify(added));
  assertEquals(await removeModule(added, "skill:new"), text);
  assertEquals(/(?<!\r)\n/.test(await addProfile(text, "work", ["base"])), false);
  const both = `# one\n${text}`;
  assertEquals((await addModules(both, [skill])).startsWith(both), true);
});
