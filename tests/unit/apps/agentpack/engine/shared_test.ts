// MCP servers in files that users share: entry by entry planned, adopted, edited, rolled back and taken away.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { basename, dirname, join } from "@std/path";
import fc from "fast-check";
import { fieldsOf } from "../../../../../src/base/object.ts";
import { editEntriesOf, readTable } from "../../../../../src/state/entries/document.ts";
import { sharedFileAt } from "../../../../../src/apps/agentpack/target/shared_files.ts";
import {
  deployApply,
  explainPlan,
  plan,
  preview,
  removeOrphans,
  rollback,
  status,
} from "../../../../support/pack_calls.ts";
import { deploy, setUp, snapshot, yes } from "../../../../support/pack_fixture.ts";
import { PackWorld } from "../../../../support/pack_world.ts";

const SERVER = `
  - { id: "mcp_server:search", type: mcp_server, tags: [base], source: { local_path: { path: m/search.json } } }`;
const OTHER = `
  - { id: "mcp_server:docs", type: mcp_server, tags: [base], source: { local_path: { path: m/docs.json } } }`;

const HOSTS = [
  ["claude_code", "project", "write_repo_mcp", "project/.mcp.json"],
  ["cursor", "project", "write_mcp", "project/.cursor/mcp.json"],
  ["vscode", "project", "write_mcp", "project/.vscode/mcp.json"],
  ["codex", "user", "write_user_mcp", "home/.codex/config.toml"],
  ["codex", "project", "write_repo_mcp", "project/.codex/config.toml"],
  ["gemini", "user", "write_user_mcp", "home/.gemini/settings.json"],
  ["gemini", "project", "write_repo_mcp", "project/.gemini/settings.json"],
  ["windsurf", "user", "write_user_mcp", "home/.codeium/windsurf/mcp_config.json"],
  ["cursor", "both", "write_user_mcp", "home/.cursor/mcp.json"],
] as const;

function targetOf([target, scope, option]: typeof HOSTS[number]): string {
  const codex = ", write_agents_global: false";
  return `  ${target}: { mode: files, scope: ${scope}, options: { ${option}: true${
    target === "codex" ? codex : ""
  } } }`;
}

const CLAUDE = targetOf(HOSTS[0]);

async function world(targets: string, modules = SERVER): Promise<PackWorld> {
  const made = await PackWorld.inMemory();
  await setUp(made, targets, modules);
  await made.write("m/search.json", '{ "command": "npx", "args": ["-y", "search-mcp"] }\n');
  await made.write("m/docs.json", '{ "url": "https://docs.example.com/mcp" }\n');
  return made;
}

function at(one: PackWorld, path: string): string {
  return join(dirname(one.project), path);
}

/** A file that somebody has already, in the words of its tool. */
function foreign(path: string): string {
  if (path.endsWith(".toml")) {
    return '# mine\nmodel = "o3"\n\n[mcp_servers.own] # keep\ncommand = "own"\n\n[tui]\ntheme = "x"\n';
  }
  const comment = /vscode|gemini/.test(path) ? "  // mine\n" : "";
  const table = path.includes("vscode") ? "servers" : "mcpServers";
  return `{\n${comment}    "z": 1,\r\n    "${table}": {\n        "own": { "command": "own" }\n    },\n    "a": [1,2]\n}\n`;
}

async function reread(one: PackWorld, path: string): Promise<string> {
  return await one.read(at(one, path)) ?? "(none)";
}

for (const host of HOSTS) {
  const [target, scope, , path] = host;
  Deno.test(`an MCP server of ${target} (${scope}) comes, changes, is found again and goes, and the rest stays`, async () => {
    await using one = await world(targetOf(host));
    const before = foreign(path);
    await one.write(at(one, path), before);
    const first = await plan(one.reader(), {});
    const [change] = first.data.changes;
    assertEquals(first.data.changes.length, 1);
    assertEquals(change?.op, "update");
    assertEquals(change?.update_kind, "managed_update");
    assertEquals(change?.entries?.map(({ op, runs }) => [op, runs]), [
      ["create", "runs: npx -y search-mcp"],
    ]);
    const id = await snapshot(one);
    const deployed = await reread(one, path);
    for (const line of before.split("\n")) {
      const bare = line.trim().replace(/^\}$/, "},").replace(/,?$/, "");
      if (bare !== "") assertStringIncludes(deployed, bare.replace(/,$/, ""));
    }
    assertStringIncludes(deployed, "search-mcp");
    assertEquals((await plan(one.reader(), {})).data.changes, []);
    assertEquals((await status(one.reader(), {})).data.drift, []);

    await one.write(at(one, path), deployed.replace("search-mcp", "other-mcp"));
    const drift = (await status(one.reader(), {})).data.drift;
    assertEquals(drift.map(({ kind, key }) => [kind, key?.split(".")[1]]), [[
      "modified",
      "search",
    ]]);
    const again = await plan(one.reader(), {});
    assertEquals(again.data.changes[0]?.locally_modified, true);
    await deploy(one);
    assertEquals(await reread(one, path), deployed);

    await one.write("m/search.json", '{ "command": "uvx", "args": ["search"] }\n');
    await deploy(one);
    assertStringIncludes(await reread(one, path), "uvx");
    await rollback(one.pack(), {}, { to: id });
    assertEquals(await reread(one, path), deployed);
    assertEquals((await status(one.reader(), {})).data.drift.map(({ kind }) => kind), ["modified"]);

    await deploy(one, { profile: "none" });
    assertEquals(await reread(one, path), before);
    // Although no manifest lists anything now, the file is nobody's but the user's.
    assertEquals((await plan(one.reader(), { profile: "none" })).data.changes, []);
    await deploy(one, { profile: "none" });
    assertEquals(await reread(one, path), before);
    await rollback(one.pack(), {}, { to: id });
    assertStringIncludes(await reread(one, path), "search-mcp");
    await deploy(one, { profile: "none" });
    await one.files.remove(at(one, path));
    await deploy(one);
    assertStringIncludes(await reread(one, path), "uvx");
    await deploy(one, { profile: "none" });
    assertEquals(await reread(one, path), "(none)");
  });
}

Deno.test("an entry of somebody else is overwritten only with --adopt, and a rollback brings it back", async () => {
  await using one = await world(CLAUDE, SERVER + OTHER);
  const path = "project/.mcp.json";
  await deploy(one, { profile: "none" });
  await one.write("m/docs.json", '{ "command": "docs" }\n');
  await one.config((await one.read(join(one.repo, "agentpack.yaml")) ?? "").replace(SERVER, ""));
  const id = await snapshot(one);
  const text = '{"mcpServers":{"search":{"command":"theirs"},"docs":{"command":"docs"}}}';
  await one.write(at(one, path), text);
  await one.config(
    (await one.read(join(one.repo, "agentpack.yaml")) ?? "").trimEnd() + SERVER + "\n",
  );
  const refused = await deployApply(one.pack(), {}, { approve: yes }).catch((error: unknown) =>
    error
  );
  assertStringIncludes(String(refused), "mcpServers.search");
  assertEquals(await reread(one, path), text);
  const planned = await plan(one.reader(), {});
  assertEquals(planned.data.changes[0]?.update_kind, "adopt_update");
  await deploy(one, {}, true);
  assertStringIncludes(await reread(one, path), "search-mcp");
  await rollback(one.pack(), {}, { to: id });
  assertEquals(await reread(one, path), text);
});

Deno.test("an entry that is the same already becomes ours without a change", async () => {
  await using one = await world(CLAUDE);
  const text = '{ "mcpServers": {"search": {"args":["-y","search-mcp"],"command":"npx"}} }';
  await one.write(at(one, "project/.mcp.json"), text);
  assertEquals((await plan(one.reader(), {})).data.changes, []);
  await deploy(one);
  assertEquals(await reread(one, "project/.mcp.json"), text);
  await deploy(one, { profile: "none" });
  assertEquals(await reread(one, "project/.mcp.json"), '{ "mcpServers": {} }');
});

Deno.test("what cannot be read or edited safely is refused with its place and left as it is", async () => {
  for (
    const [host, text, said] of [
      [HOSTS[0], '{\n  "mcpServers": {\n', ".mcp.json:"],
      [HOSTS[0], "{ // no comments here\n}", ".mcp.json:1"],
      [HOSTS[0], '{"mcpServers": []}', "is no object"],
      [HOSTS[0], '{"mcpServers": {}, "mcpServers": {}}', "twice"],
      [HOSTS[3], "mcp_servers = 1\n", "is no table"],
      [HOSTS[3], "a = \n", "is not valid TOML"],
      [HOSTS[3], 'mcp_servers = { own = { command = "x" } }\n', "cannot be edited safely"],
    ] as const
  ) {
    await using one = await world(targetOf(host));
    await one.write(at(one, host[3]), text);
    const error = await plan(one.reader(), {}).catch((thrown: unknown) => thrown);
    assertStringIncludes(String(error), said);
    assertEquals(await reread(one, host[3]), text);
  }
  await using one = await world(CLAUDE);
  await one.write(at(one, "dotfiles.json"), "{}");
  await one.files.symlink(at(one, "dotfiles.json"), at(one, "project/.mcp.json"));
  const error = await plan(one.reader(), {}).catch((thrown: unknown) => thrown);
  assertStringIncludes(String(error), "is a link");
});

Deno.test("explain names the modules of entries, also of those that go, and a comment keeps its table", async () => {
  await using one = await world(targetOf(HOSTS[2]), SERVER + OTHER);
  await one.write(at(one, "project/.vscode/mcp.json"), "{}\n");
  await deploy(one);
  const text = await reread(one, "project/.vscode/mcp.json");
  await one.write(
    at(one, "project/.vscode/mcp.json"),
    text.replace('"servers": {', '"servers": {\n    // why'),
  );
  await one.write("m/docs.json", '{ "command": "docs" }\n');
  const modules = async (profile?: string) =>
    (await explainPlan(one.reader(), profile === undefined ? {} : { profile })).data.changes
      .map((change) =>
        change.modules.map(({ module_id, module_path }) => [module_id, module_path])
      );
  assertEquals(await modules(), [[["mcp_server:docs", "docs.json"]]]);
  assertEquals((await modules("none")).flat().map(([id]) => id), [
    "mcp_server:docs",
    "mcp_server:search",
  ]);
  await deploy(one, { profile: "none" });
  assertEquals(
    await reread(one, "project/.vscode/mcp.json"),
    '{\n  "servers": {\n    // why\n  }\n}\n',
  );
});

/** Something that happens to modules or to the file, by anybody. */
type Happening =
  | { readonly kind: "module"; readonly name: string; readonly command: string | null }
  | { readonly kind: "foreign"; readonly name: string; readonly command: string | null };

const happening: fc.Arbitrary<Happening> = fc.record({
  kind: fc.constantFrom("module", "foreign"),
  name: fc.constantFrom("a", "b", "own"),
  command: fc.constantFrom("one", "two", null),
});

Deno.test("whatever happens to a shared file: a deploy settles it, a rollback brings ours back, nobody else loses anything", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(HOSTS[2], HOSTS[3]),
      fc.array(happening, { maxLength: 4 }),
      fc.array(happening, { maxLength: 4 }),
      async (host, first, second) => {
        await using one = await PackWorld.inMemory();
        const modules = new Map<string, string>();
        const others = new Map<string, string>();
        const path = at(one, host[3]);
        const shared = sharedFileAt(host[0], basename(host[3]));
        assert(shared !== null);
        const found = async () => {
          const table = await readTable(shared, await one.read(path) ?? "");
          assert("entries" in table);
          return Object.fromEntries(
            [...table.entries ?? []].map(([name, value]) => [name, fieldsOf(value)["command"]]),
          );
        };
        const happens = async (events: readonly Happening[]) => {
          for (const { kind, name, command } of events) {
            if (kind === "module") {
              if (command === null || name === "own") modules.delete(name);
              else modules.set(name, command);
              continue;
            }
            const type = host[0] === "vscode" ? { type: "stdio" } : {};
            const value = command === null ? undefined : { ...type, command };
            const text = await one.read(path);
            const edited = await editEntriesOf(shared, text, new Map([[name, value]]), () => null);
            assert("text" in edited && edited.text !== null);
            await one.write(path, edited.text);
            if (name !== "own") continue;
            if (command === null) others.delete(name);
            else others.set(name, command);
          }
          const list = [...modules.keys()].map((name) =>
            `\n  - { id: "mcp_server:${name}", type: mcp_server, tags: [base], source: { local_path: { path: m/${name}.json } } }`
          );
          await setUp(one, targetOf(host), list.length === 0 ? " []" : list.join(""));
          for (const [name, command] of modules) {
            await one.write(`m/${name}.json`, JSON.stringify({ command }));
          }
        };
        await happens(first);
        const { data } = await deploy(one, {}, true);
        const ours = Object.fromEntries(modules);
        const settled = async () => {
          assertEquals((await plan(one.reader(), {})).data.changes, []);
          assertEquals((await status(one.reader(), {})).data.drift, []);
          const now = await found();
          for (const [name, command] of [...modules, ...others]) assertEquals(now[name], command);
        };
        await settled();
        await happens(second);
        await deploy(one, {}, true);
        await settled();
        if (data.snapshot_id === undefined) return;
        await rollback(one.pack(), {}, { to: data.snapshot_id });
        const after = await found();
        for (const [name, command] of Object.entries(ours)) assertEquals(after[name], command);
        for (const [name, command] of others) assertEquals(after[name], command);
      },
    ),
    { numRuns: 20 },
  );
});

Deno.test("secrets are named and never shown, whosever they are", async () => {
  await using one = await world(CLAUDE);
  const theirs = "hunter2hunter2";
  const token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
  await one.write(
    at(one, "project/.mcp.json"),
    `{\n  "mcpServers": {\n    "own": { "command": "x", "env": { "DB_PASSWORD": "${theirs}" } }\n  }\n}\n`,
  );
  await one.write(
    "m/search.json",
    JSON.stringify({
      command: "npx",
      args: ["--token", token, token],
      env: { API_KEY: "12345678", X: "${X}" },
    }),
  );
  const answer = await preview(one.reader(), {}, { diff: true });
  const said = JSON.stringify(answer);
  assert(!said.includes(theirs) && !said.includes(token) && !said.includes("12345678"), said);
  assertStringIncludes(said, "args.1, args.2, env.API_KEY");
  assertStringIncludes(said, "runs: npx --token *** *** (with API_KEY, X)");
  await deploy(one);
  assertStringIncludes(await reread(one, "project/.mcp.json"), token);
  const gone = await plan(one.reader(), { profile: "none" });
  assertStringIncludes(
    gone.warnings.join(),
    'does not select "mcp_server:search", so 1 entry would',
  );
});

Deno.test("entries of a target that is gone are removed from their file, but not edited ones", async () => {
  await using one = await world(CLAUDE, SERVER + OTHER);
  await one.write(at(one, "project/.mcp.json"), '{\n  "mine": 1\n}\n');
  await deploy(one);
  const text = await reread(one, "project/.mcp.json");
  await one.write(at(one, "project/.mcp.json"), text.replace("docs.example.com", "example.org"));
  await setUp(one, "  zed: { mode: files, scope: project }", SERVER + OTHER);
  await one.write("m/search.json", '{ "command": "npx" }\n');
  await one.write("m/docs.json", '{ "command": "npx" }\n');
  const { warnings } = await removeOrphans(one.pack(), {});
  assertStringIncludes(warnings.join("\n"), "mcpServers.docs");
  const left = JSON.parse(await reread(one, "project/.mcp.json")) as unknown;
  assertEquals(left, {
    mine: 1,
    mcpServers: { docs: { type: "http", url: "https://example.org/mcp" } },
  });
});

Deno.test("servers from a git source are told first and refused until the configuration allows them", async () => {
  await using one = await PackWorld.make();
  const remote = at(one, "remote");
  await one.write(join(remote, "server.json"), '{ "command": "curl", "args": ["evil.example"] }\n');
  await one.world.git(remote, "init", "--quiet", "--initial-branch=main", "--template=");
  await one.world.git(remote, "add", ".");
  await one.world.git(remote, "commit", "--quiet", "-m", "One");
  const module = (more: string) => `
  - { id: "mcp_server:far", type: mcp_server, tags: [base], source: { git: { url: "file://${remote}" } }${more} }`;
  await setUp(one, CLAUDE, module(""));
  const planned = await plan(one.pack(), {});
  assertStringIncludes(planned.warnings.join("\n"), "runs: curl evil.example");
  assertStringIncludes(planned.warnings.join("\n"), "allow_remote_program");
  const refuse = () => deployApply(one.pack(), {}, { approve: yes }).catch(String);
  assertStringIncludes(String(await refuse()), "mcpServers.far");
  assertEquals(await reread(one, "project/.mcp.json"), "(none)");
  await setUp(one, CLAUDE, module(", metadata: { allow_remote_program: true }"));
  const policy = (text: string) =>
    one.write(
      join(one.repo, "agentpack.org.yaml"),
      `version: 1\nsupply_chain_policy: { ${text} }\n`,
    );
  await policy("local_types: [mcp_server]");
  assertStringIncludes(String(await refuse()), "from a git source");
  await policy("forbidden_types: [mcp_server]");
  assertStringIncludes(String(await refuse()), "forbids modules of type mcp_server");
  await policy("local_types: []");
  await deploy(one);
  assertStringIncludes(await reread(one, "project/.mcp.json"), "evil.example");
});
