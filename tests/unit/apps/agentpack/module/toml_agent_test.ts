// Subagents in Markdown become ones of Codex that say the same; what is one of Codex already stays as it is, and goes
// nowhere else.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { parse } from "@std/toml/parse";
import fc from "fast-check";
import { encodeText } from "../../../../../src/apps/agentpack/content.ts";
import { agentFrom, tomlAgentProblem } from "../../../../../src/apps/agentpack/module/syntax.ts";
import { plan } from "../../../../support/pack_calls.ts";
import { deploy, setUp } from "../../../../support/pack_fixture.ts";
import { PackWorld } from "../../../../support/pack_world.ts";

const TARGETS = `  codex: { mode: files, scope: both, options: { write_user_agents: true } }
  claude_code: { mode: files, scope: both, options: { write_user_agents: true } }
  gemini: { mode: files, scope: both, options: { write_user_agents: true } }`;
const TOML =
  '# mine\nname = "pr_explorer"\ndescription = "Explores"\ndeveloper_instructions = "Read."\nmodel = "x"\n';

function module(file: string, source = `local_path: { path: m/${file} }`, more = ""): string {
  return `\n  - { id: "subagent:one", type: subagent, tags: [base], source: { ${source} }${more} }`;
}

Deno.test("whatever a text and a head hold, Codex reads exactly that", async () => {
  const piece = fc.constantFrom(
    '"',
    '"""',
    "\\",
    "\\u0041",
    "\r\n",
    "\n",
    "\t",
    "\0",
    "é",
    "\x7f",
    "a ",
  );
  const text = fc.array(piece, { minLength: 1, maxLength: 12 }).map((pieces) => pieces.join(""));
  await fc.assert(
    fc.asyncProperty(text, text, async (first, second) => {
      const body = `x${first}`;
      const head = { name: "one", description: `y${second}` };
      const made = agentFrom(encodeText(`---\nname: one\n---\n\n${body}`), head);
      assert(typeof made !== "string");
      const written = new TextDecoder().decode(made.bytes);
      assertEquals(await tomlAgentProblem(written), null);
      assertEquals(parse(written), { ...head, developer_instructions: body });
    }),
    { numRuns: 200 },
  );
});

Deno.test("a subagent of Codex needs a name, a description and instructions", async () => {
  assertEquals(await tomlAgentProblem(TOML), null);
  const missing = await tomlAgentProblem('name = "x"\ndescription = 1\n');
  assertStringIncludes(missing ?? "", "description and developer_instructions");
  assertStringIncludes(await tomlAgentProblem("name = ") ?? "", "TOML");
});

Deno.test("one subagent in Markdown serves every tool, and what Codex does not know is told", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, TARGETS, module("reviewer.md"));
  const text =
    '---\nname: reviewer\ndescription: "Reviews:\\n what changed"\ntools: Read\n---\n\nLook "twice".\n';
  await world.write("m/reviewer.md", text);
  const { warnings } = await deploy(world);
  assertEquals(await world.read(join(world.home, ".claude/agents/reviewer.md")), text);
  assertEquals(
    await world.read(join(world.home, ".codex/agents/reviewer.toml")),
    'name = "reviewer"\ndescription = "Reviews:\\n what changed"\n' +
      'developer_instructions = """\nLook "twice".\n"""\n',
  );
  assert(warnings.some((text) => text.includes('"subagent:one" has tools, which codex')));
});

Deno.test("a subagent in TOML goes to Codex as it is, and to no other tool", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, TARGETS, module("explorer.toml"));
  await world.write("m/explorer.toml", TOML);
  const { data } = await deploy(world);
  const path = join(world.home, ".codex/agents/explorer.toml");
  assertEquals(data.changes.map((change) => change.path), [path]);
  assertEquals(await world.read(path), TOML);
});

Deno.test("a subagent in TOML from elsewhere, which may run programs, needs to be allowed", async () => {
  await using world = await PackWorld.make();
  const other = join(world.directory, "other");
  await world.write(join(other, "explorer.toml"), TOML);
  await world.git(other, "init", "--quiet", "--initial-branch=main");
  await world.git(other, "add", "-A");
  await world.git(other, "commit", "--quiet", "-m", "Begin");
  const source = `git: { url: "file://${other}", subdir: explorer.toml }`;
  await setUp(world, TARGETS, module("", source));
  const refused = await plan(world.reader(), {});
  assertEquals(refused.data.changes, []);
  assert(refused.warnings.some((text) => text.includes("allow_remote_program")));
  await setUp(world, TARGETS, module("", source, ", metadata: { allow_remote_program: true }"));
  assertEquals((await plan(world.reader(), {})).data.changes.length, 1);
});
