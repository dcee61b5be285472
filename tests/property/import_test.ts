// Importing changes nothing: whatever a home and a project hold, a deploy of what was imported has nothing to do, and
// after one asset is edited exactly that to do.

import { assert, assertEquals } from "@std/assert";
import { dirname, join } from "@std/path";
import fc from "fast-check";
import { parse, parseDocument } from "yaml";
import { TARGET_NAMES } from "../../src/apps/agentpack/names.ts";
import { outputTable } from "../../src/apps/agentpack/target/table.ts";
import { importAssets, plan } from "../support/pack_calls.ts";
import { PackWorld } from "../support/pack_world.ts";
import { cases } from "../support/sample.ts";

/** A file as a tool reads it. */
interface Asset {
  readonly scope: "user" | "project";
  /** Below the home or the project. */
  readonly path: string;
  readonly text: string;
}

const NAMES = ["tidy", "Tidy", "my tool", "日本", "a.b", "vscode", "tidy-claude_code", "x/tidy"];
const BODIES = ["Do it.\n", "Do it\r\nwell.\r\n", "no newline", ""];
const HEADS = [
  "",
  "---\ndescription: \nglobs: *.ts,src/**/*.{js,jsx}\nalwaysApply: false\n---\n",
  '---\ndescription: "Say: it"\nglobs: []\nalwaysApply: true\n---\n\n',
  "---\r\nalwaysApply: true\r\nglobs: a\r\n---\r\n\r\n",
  "---\ndescription: >-\n  folded\nglobs:\n  - '*.md'\nmore: [1]\n---\n\n\n",
];

const SKILL = "---\nname: x\ndescription: y\n---\nDo it.\n";

/** Where assets stand, with a name in the place of `*`, and what they are. */
const PLACES = [
  ["user", ".codex/AGENTS.md", "text"],
  ["user", ".codex/skills/*/SKILL.md", "skill"],
  ["user", ".agents/skills/*/SKILL.md", "skill"],
  ["user", ".claude/CLAUDE.md", "text"],
  ["user", ".claude/commands/*.md", "command"],
  ["user", ".claude/skills/*/SKILL.md", "skill"],
  ["project", "AGENTS.md", "text"],
  ["project", "CLAUDE.md", "text"],
  ["project", ".codex/skills/*/SKILL.md", "skill"],
  ["project", ".agents/skills/*/SKILL.md", "skill"],
  ["project", ".claude/commands/*.md", "command"],
  ["project", ".claude/skills/*/SKILL.md", "skill"],
  ["project", ".cursor/rules/*.mdc", "rule"],
  ["project", ".github/copilot-instructions.md", "text"],
  ["project", ".github/prompts/*.prompt.md", "text"],
  ["project", ".junie/guidelines.md", "text"],
  ["project", ".rules", "text"],
  ["project", ".cursor/commands/*.md", "text"],
  ["project", ".cursor/skills/*/SKILL.md", "skill"],
  ["user", ".claude/agents/*.md", "skill"],
  ["project", ".claude/agents/*.md", "skill"],
  ["user", ".gemini/GEMINI.md", "text"],
  ["project", "GEMINI.md", "text"],
  ["user", ".gemini/commands/*.toml", "toml"],
  ["project", ".gemini/commands/*.toml", "toml"],
  ["user", ".codeium/windsurf/memories/global_rules.md", "text"],
  ["project", ".windsurf/rules/*.md", "rule"],
  ["project", ".windsurf/workflows/*.md", "text"],
  ["user", ".cursor/commands/*.md", "text"],
  ["user", ".cursor/skills/*/SKILL.md", "skill"],
  ["user", ".cursor/agents/*.md", "skill"],
  ["project", ".cursor/agents/*.md", "skill"],
  ["project", ".github/skills/*/SKILL.md", "skill"],
  ["project", ".github/agents/*.md", "skill"],
  ["user", ".gemini/skills/*/SKILL.md", "skill"],
  ["user", ".gemini/agents/*.md", "skill"],
  ["project", ".gemini/skills/*/SKILL.md", "skill"],
  ["project", ".gemini/agents/*.md", "skill"],
  ["user", ".codeium/windsurf/global_workflows/*.md", "text"],
  ["user", ".codeium/windsurf/skills/*/SKILL.md", "skill"],
  ["project", ".windsurf/skills/*/SKILL.md", "skill"],
  ["project", ".mcp.json", "server"],
  ["project", ".cursor/mcp.json", "server"],
  ["project", ".vscode/mcp.json", "server"],
  ["user", ".gemini/settings.json", "server"],
  ["project", ".gemini/settings.json", "server"],
  ["user", ".codeium/windsurf/mcp_config.json", "server"],
  ["user", ".codex/config.toml", "server"],
  ["project", ".codex/config.toml", "server"],
  ["user", ".codex/agents/*.toml", "agent"],
  ["project", ".codex/agents/*.toml", "agent"],
  ["user", ".claude/settings.json", "hooks"],
  ["project", ".claude/settings.json", "hooks"],
  ["user", ".cursor/mcp.json", "server"],
  ["user", ".cursor/hooks.json", "hooks"],
  ["project", ".cursor/hooks.json", "hooks"],
  ["user", ".gemini/settings.json", "hooks"],
  ["project", ".gemini/settings.json", "hooks"],
] as const;

/** Entries as people write them, with what only one tool knows. */
const SERVERS = [
  { command: "npx", args: ["-y", "x"], env: { TOKEN: "${TOKEN}" } },
  { type: "stdio", command: "npx", disabled: true },
  { url: "npx://example.com", headers: { Authorization: "Bearer ${T}" } },
  { type: "sse", url: "npx", timeout: 5 },
  { httpUrl: "npx", trust: false },
  { serverUrl: "npx", alwaysAllow: ["a"] },
];

/** A file with a server, and with something else. */
function serverFile(path: string, name: string, body: string): string {
  const own = path.includes("gemini") ? 4 : path.includes("windsurf") ? 5 : 0;
  const server = SERVERS[name.length % 2 === 0 ? own : BODIES.indexOf(body)];
  if (path.endsWith(".toml")) {
    return `# mine\nmodel = "x"\n\n[mcp_servers.tidy]\ncommand = "npx" # why\nstartup_timeout_sec = ${name.length}\n`;
  }
  const table = path.includes("vscode") ? "servers" : "mcpServers";
  return `{ "theme": 1,\n "${table}": { ${JSON.stringify(name)}: ${JSON.stringify(server)} }\n}\n`;
}

/** Hooks as people write them, in plain words and with what only one tool knows. */
const HOOKS = [
  { matcher: "Bash|Edit", hooks: [{ type: "command", command: "npx check", timeout: 5 }] },
  { hooks: [{ type: "command", command: "npx one" }, { type: "command", command: "npx two" }] },
  { command: "npx check", timeout: 30, matcher: "Shell" },
  { sequential: true, hooks: [{ type: "command", command: "npx a", name: "a" }] },
  { type: "prompt", prompt: "Is npx fine?", failClosed: true },
];

/** A file with hooks, and with something else. */
function hooksFile(path: string, name: string, body: string): string {
  const own = ["PreToolUse", "stop", "SessionStart", "AfterTool"][name.length % 4] ?? "";
  const first = HOOKS[(name.length + body.length) % HOOKS.length];
  const lists = { [own]: [first], Other: [HOOKS[body.length % HOOKS.length]] };
  const servers = path.includes("gemini")
    ? '"mcpServers": { "own": { "command": "npx" } },\n '
    : "";
  return `{ "theme": 1,\n ${servers}"hooks": ${JSON.stringify(lists)}\n}\n`;
}

/** The same with one thing edited. */
function editedText({ text, path }: Pick<Asset, "text" | "path">): string {
  return /\.(?:json|toml)$/.test(path) ? text.replace("npx", "uvx") : `${text}More.\n`;
}

const asset: fc.Arbitrary<Asset> = fc.tuple(
  fc.constantFrom(...PLACES),
  fc.constantFrom(...NAMES),
  fc.constantFrom(...BODIES),
  fc.constantFrom(...HEADS),
).map(([[scope, place, kind], name, body, head]) => {
  // A skill is a directory right below its root.
  const path = place.replace("*", kind === "skill" ? name.replace("/", "-") : name);
  const text = kind === "skill"
    ? `---\nname: x\ndescription: y\n---\n${body}`
    : kind === "command"
    ? head === "" ? body : `---\ndescription: y\n---\n${body}`
    : kind === "toml"
    ? `# ${name}\nprompt = """\nnpx ${body.trim()}"""\n`
    : kind === "agent"
    ? `# ${name}\nname = "x"\ndescription = "npx"\ndeveloper_instructions = '''\nDo.\n${body.trim()}'''\n`
    : kind === "server"
    ? serverFile(place, name, body)
    : kind === "hooks"
    ? hooksFile(place, name, body)
    : kind === "rule"
    ? `${head}${body}`
    : body;
  return { scope, path, text };
});

const home = fc.record({
  assets: fc.uniqueArray(asset, {
    minLength: 1,
    maxLength: 24,
    selector: ({ scope, path }) => `${scope} ${path}`,
  }),
  /** Which of them is edited. */
  edited: fc.nat(),
  /** Whether every target and every option is on, else as `init` leaves them. */
  everything: fc.boolean(),
});

const AS_INIT = "  codex: { mode: files, scope: both, options: { codex_home: ~/.codex } }\n" +
  "  claude_code: { mode: files, scope: both, options: {} }\n";

/** Every target with every option that import speaks of. */
function everyTarget(): string {
  return TARGET_NAMES.filter((name) => name !== "export_dir").map((name) => {
    const rows = outputTable().filter((row) => row.target === name);
    // The line that imports AGENTS.md stands where the instructions themselves would.
    const options = rows.flatMap(({ option }) => option ?? [])
      .filter((option) => option !== "write_claude_md").map((option) => `${option}: true`);
    const scope = rows.some((row) => row.scope === "user") ? "both" : "project";
    return `  ${name}: { mode: files, scope: ${scope}, options: { ${
      [...new Set(options)].join(", ")
    } } }\n`;
  }).join("");
}

/** A configuration that says what import asked for: each a path of keys, a colon, and the value. */
function advised(config: string, needs: readonly string[]): string {
  const document = parseDocument(config);
  for (const need of needs) {
    const colon = need.indexOf(": ");
    document.setIn(need.slice(0, colon).split("."), parse(need.slice(colon + 2)));
  }
  return document.toString();
}

/** A world as it is before anything was imported. */
async function emptied(world: PackWorld, targets: string): Promise<void> {
  await world.files.removeTree(world.home);
  for (const { name } of await world.files.list(world.project)) {
    if (name !== ".git") await world.files.removeTree(join(world.project, name));
  }
  await world.config(
    `version: 1\nprofiles:\n  default:\n    include_tags: [base]\ntargets:\n${targets}modules: []\n`,
  );
}

Deno.test("import, then plan: nothing to do; one asset edited, then plan: exactly that", async () => {
  await using world = await PackWorld.inMemory();
  const place = ({ scope, path }: Asset) =>
    join(scope === "user" ? world.home : world.project, path);
  await fc.assert(
    fc.asyncProperty(home, async ({ assets, edited, everything }) => {
      await emptied(world, everything ? everyTarget() : AS_INIT);
      for (const one of assets) await world.write(place(one), one.text);
      const before = await world.tree(world.home, world.project);
      const { data } = await importAssets(world.pack(), {}, { apply: true });
      assertEquals(await world.tree(world.home, world.project), before);
      assertEquals([data.applied, data.summary.skip_invalid, data.left], [true, 0, []]);
      if (everything) assertEquals(data.not_deployed, []);
      const profile = data.plan.some(({ scope }) => scope === "project")
        ? `project-${data.project.project_id}`
        : "default";
      const changes = async (name: string) => {
        const answer = await plan(world.reader(), { profile: name });
        return answer.data.changes.map(({ op, path }) => `${op} ${path}`);
      };
      assertEquals(await changes("default"), []);
      assertEquals(await changes(profile), []);
      const again = await importAssets(world.reader(), {}, { apply: false });
      assertEquals([again.data.summary.create, again.data.summary.skip_invalid], [0, 0]);

      const chosen = assets[edited % assets.length];
      assert(chosen !== undefined);
      const source = place(chosen);
      const item = data.plan.find(({ source_path, other_sources }) =>
        [source_path, ...other_sources ?? []].some((path) =>
          path === source || path === dirname(source)
        )
      );
      assert(item !== undefined, source);
      const waits = data.not_deployed.filter(({ module_ids }) =>
        module_ids.includes(item.module_id)
      ).map(({ target }) => target);
      await world.write(source, editedText(chosen));
      const found = await changes(profile);
      // A module for several tools can wait for one of them only.
      if (waits.length === 0) assertEquals(found, [`update ${source}`]);
      else assert(found.length === 0 || found.join() === `update ${source}`, found.join());

      await world.write(source, chosen.text);
      assertEquals(await changes(profile), []);
      const stored = item.module_type === "instructions"
        ? join(item.dest_path, "AGENTS.md")
        : item.module_type === "skill"
        ? join(item.dest_path, "SKILL.md")
        : item.dest_path;
      const held = await world.read(stored) ?? "";
      await world.write(stored, editedText({ text: held, path: stored }));
      const sources = [item.source_path, ...item.other_sources ?? []].map((path) =>
        item.module_type === "skill" ? join(path, "SKILL.md") : path
      );
      const wanted = await changes(profile);
      assert(wanted.every((change) => sources.some((path) => change === `update ${path}`)));
      if (waits.length === 0) assertEquals(new Set(wanted).size, sources.length);

      await world.write(stored, held);
      const config = await world.read(join(world.repo, "agentpack.yaml")) ?? "";
      await world.config(advised(config, data.not_deployed.map(({ needs }) => needs)));
      assertEquals([await changes("default"), await changes(profile)], [[], []]);
      // Now nothing waits for a setting any more.
      await world.write(stored, editedText({ text: held, path: stored }));
      assertEquals(new Set(await changes(profile)).size, sources.length);
    }),
    {
      numRuns: cases(25, 10),
      examples: [[{
        // One option writes both: what one of them asks for must not put the other elsewhere.
        assets: [
          { scope: "user", path: ".agents/skills/tidy/SKILL.md", text: SKILL },
          { scope: "project", path: ".codex/skills/other/SKILL.md", text: `${SKILL}More.\n` },
        ],
        edited: 0,
        everything: false,
      }], [{
        // Two tools share a module whose better id another one has.
        assets: [
          { scope: "project", path: ".codex/skills/tidy/SKILL.md", text: SKILL },
          { scope: "project", path: ".claude/skills/Tidy/SKILL.md", text: SKILL },
          { scope: "project", path: ".cursor/skills/Tidy/SKILL.md", text: SKILL },
        ],
        edited: 0,
        everything: false,
      }]],
    },
  );
});
