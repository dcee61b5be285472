/**
 * Completion of command lines: what is offered where, what is never offered, and that real shells take it.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join, relative } from "@std/path";
import { commandLine } from "../support/both_doors.ts";
import { makeTicket } from "../support/ticket_workspace.ts";
import { program, World } from "../support/world.ts";

/** Names that would do something, or break a line, where a shell reads them. */
const HOSTILE = [
  "$(touch pwned)",
  "`touch pwned`",
  "a b",
  "it's",
  'say "x"',
  "new\nline",
  "tab\tbed",
  "esc\u001b[31m",
  "over\u202eride",
  "-rf",
  "~root",
  "back\\slash",
  "a;b",
  "*",
  ":directories",
];

/** What is offered for the last of the words, without meanings; in this process, for many lines are asked about. */
async function offered(world: World, ...words: string[]): Promise<string[]> {
  const ran = await commandLine({ world, cwd: world.control }, ["complete", "--", ...words]);
  assertEquals([ran.code, ran.stderr], [0, ""]);
  return ran.stdout.split("\n").slice(0, -1).map((line) => line.split("\t")[0] ?? "");
}

/** Checks what is offered for a line, whose last word is the one that is being typed. */
async function offers(world: World, line: string, expected: readonly string[]): Promise<void> {
  assertEquals(await offered(world, ...line.split(" ")), expected, line);
}

/** A world with a workspace, a run, a ticket and an archive, and names that somebody else made up. */
async function busyWorld(): Promise<World> {
  const world = await World.installed({
    repos: ["api", "web"],
    extra: "    tags: [backend]\ngroups:\n  shop: [api]\n",
  });
  await world.addEcosystem("shop", { repos: ["till"] });
  const ticket = { repos: {}, created_at: "2026-01-02T03:04:05Z" };
  await world.patchState({
    active_ticket: null,
    tickets: Object.fromEntries(["PROJ-1", "PROJ-2", ...HOSTILE].map((id) => [id, ticket])),
    ended_tickets: {
      "OLD-1": { ...ticket, repos: { api: "feature/OLD-1" }, ended_at: "2026-01-03T03:04:05Z" },
    },
  });
  for (const name of ["$(touch pwned)", "a b", "it's", "-e"]) {
    await world.write(`control/ecosystems/${name}/ecosystem.yaml`, "name: x\nrepos: []\n");
  }
  await world.write("control/ecosystems/demo/archives/demo-20260102T030405000Z.json", "{}");
  await world.write("control/ecosystems/demo/archives/demo-$(touch pwned).json", "{}");
  return world;
}

Deno.test("completion offers what the place allows, and no name that a shell would read", async () => {
  await using world = await busyWorld();
  const [short = ""] = await offered(world, "runs", "logs", "");
  assert(/^[0-9a-f]{8}$/.test(short), short);
  const [run = ""] = await offered(world, "runs", "logs", `${short}-`);
  assert(/^[0-9a-f-]{36}$/.test(run), run);
  const before = await world.fingerprint();
  const lines: readonly (readonly [string, readonly string[]])[] = [
    // Words, of shortcuts and programs, too.
    ["pu", ["push"]],
    ["--json -e demo tick", ["ticket"]],
    ["release pro", ["promote"]],
    ["release mi", ["minor"]],
    ["help arch", ["archive"]],
    ["help sel", ["selection"]],
    ["archive ", ["list", "restore"]],
    ["run-w", []],
    ["compl", ["completions"]],
    // Flags: long ones, those of all commands, and none twice.
    ["push --allow", ["--allow-base", "--allow-merged", "--allow-no-touch", "--allow-secret"]],
    ["runs logs --fol", ["--follow"]],
    ["status --js", ["--json"]],
    ["status --json --js", []],
    ["status --repo api --repo", ["--repo"]],
    ["status -- --js", []],
    // Closed sets.
    ["--mode ", ["ask", "plan", "execute"]],
    ["status --color=n", ["--color=never"]],
    ["release promote ", ["beta", "rc", "stable"]],
    ["completions ", ["bash", "zsh", "fish", "powershell"]],
    ["mcp serve --toolsets ticket,rel", ["ticket,release"]],
    ["mcp serve --exclude-tools amof_ticket_l", ["amof_ticket_list"]],
    // Names.
    ["-e ", ["demo", "shop"]],
    ["--ecosystem=s", ["--ecosystem=shop"]],
    ["ecosystem switch s", ["shop"]],
    ["-e shop push --repo ", ["till"]],
    ["-e shop push --repos=t", ["--repos=till"]],
    ["-e demo status --tag ", ["backend", "shop"]],
    ["-e demo sync --tag backend,", ["backend,shop"]],
    ["-e demo push --only dirty,a", ["dirty,ahead"]],
    ["-e demo push --only on", ["on:main"]],
    ["-e demo push --only on:", ["on:main"]],
    [`-e demo push --only failed=${short}`, [`failed=${short}`]],
    [`-e demo push --only failed=${short}-`, [`failed=${run}`]],
    ["-e demo push --repo 'ap*", []],
    ["-e demo push --only changed=", ["changed=origin/main", "changed=main"]],
    ["-e demo push --repo !w", ["!web"]],
    ["-e demo push --repo api,!", ["api,!api", "api,!web"]],
    ["-e demo push --only !dir", ["!dirty"]],
    ["journal add --tags ", []],
    ["push -e demo --repo api,", ["api,web"]],
    ["-e demo ticket switch ", ["PROJ-1", "PROJ-2", "main"]],
    ["-e demo ticket conflicts ", ["PROJ-1", "PROJ-2"]],
    ["-e demo ticket end ", ["PROJ-1", "PROJ-2", "OLD-1"]],
    ["-e demo ticket end --cleanup O", ["OLD-1"]],
    ["-e demo ticket start OLD", ["OLD-1"]],
    ["-e demo archive restore ", ["demo-20260102T030405000Z"]],
    [`runs status ${short}`, [short]],
    ["runs cancel ", []],
    ["-e demo operations ", ["show", short]],
    ["-e demo undo ", [short]],
    ["--root ", [":directories"]],
    ["status --root=x", [":directories"]],
    // agentpack, with its own words and flags.
    ["agentpack overlay re", ["rebase"]],
    ["--json agentpack plan --target co", ["codex"]],
    ["agentpack --repo ", [":directories"]],
    // No candidates and no error message.
    ["no such", []],
    ["-e nowhere push --repo ", []],
    ["--root /nowhere -e ", []],
    ["push --message ", []],
    ["ecosystem create new --repo ", []],
    ["discard --confirm-name ", []],
  ];
  for (const [line, expected] of lines) await offers(world, line, expected);
  assertEquals(await world.changesSince(before), []);
});

Deno.test("completion makes no store, and reads nothing it is not asked for", async () => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  const nowhere = await world.amof(["complete", "--", "-e", ""], { cwd: world.directory });
  assertEquals([nowhere.code, nowhere.stdout, nowhere.stderr], [0, "", ""]);
  const before = await world.contents(world.directory);
  for (const words of [["runs", "logs", ""], ["approve", ""]]) {
    const ran = await world.amof(["complete", "--", ...words]);
    assertEquals([ran.code, ran.stdout, ran.stderr], [0, "", ""]);
  }
  const next = await world.amof(["complete", "--next", "--", "-e"]);
  assertEquals(next.stdout, "demo\n");
  assertEquals((await world.amof(["complete"])).code, 0);
  assertEquals(await world.contents(world.directory), before);
});

Deno.test("completions prints a script, and nothing for a shell it does not know", async () => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  const { script } = (await world.amof(["completions", "fish", "--json"])).json();
  assertStringIncludes(String(script), "amof complete -- ");
  for (const shell of [["tcsh"], ["$(id)"], []]) {
    const ran = await world.amof(["completions", ...shell]);
    assertEquals([ran.code, ran.stdout], [2, ""]);
    assertStringIncludes(ran.stderr, "powershell");
  }
});

/** The words of a line as bash makes them: taken apart at `=` and `:`, too. */
function bashWords(line: string): string[] {
  return line.split(" ").flatMap((word) => word.split(/([=:]+)/).filter((part) => part !== ""))
    .concat(line.endsWith(" ") ? [""] : []);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

Deno.test({
  name: "bash completes with the script, and runs nothing of what is typed or offered",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using world = await busyWorld();
    await world.script("bin/amof", `exec ${program().map(quoted).join(" ")} "$@"`);
    await world.write("amof.bash", (await world.amof(["completions", "bash"])).stdout);
    await world.write("control/sub dir/file", "");
    await world.write("control/evil$(touch pwned)/file", "");
    await world.write(
      join(relative(world.directory, world.env["HOME"] ?? ""), "tilde dir/file"),
      "",
    );
    const cases: readonly (readonly [string, readonly string[]])[] = [
      ["amof pus", ["push"]],
      ["amof ticket ", [
        "start",
        "list",
        "switch",
        "path",
        "env",
        "update",
        "conflicts",
        "try",
        "add",
        "detach",
        "move",
        "end",
      ]],
      ["amof -e demo ticket switch ", ["PROJ-1", "PROJ-2", "main"]],
      ["amof -e demo ticket switch $(touch", []],
      ["amof -e `touch pwned` push --repo ", []],
      ['amof -e "demo$(touch pwned) status --repo ', []],
      ["amof status --mode=", ["ask", "plan", "execute"]],
      ["amof --mode=plan -e s", ["shop"]],
      ["amof ecosystem create x --repo a=https://x/y --comm", ["--commit"]],
      // Bash quotes these itself where it completes; here it does not.
      ["amof --root su", ["sub\\ dir"]],
      ["amof --root=su", ["sub\\ dir"]],
      ["amof --root ev", ["evil\\$\\(touch\\ pwned\\)"]],
      ["amof --root ~/ti", ["~/tilde\\ dir"]],
      ["/usr/bin/agentpack overlay pa", ["path"]],
    ];
    const asked = cases.map(([line]) => {
      const words = bashWords(line);
      return [
        `COMP_WORDS=(${words.map(quoted).join(" ")}) COMP_CWORD=${words.length - 1}`,
        `COMP_LINE=${quoted(line)} COMP_POINT=${line.length}`,
        `_amof ${quoted(words[0] ?? "")} ${quoted(words.at(-1) ?? "")} ''`,
        `printf '%s\\n' "\${COMPREPLY[@]}" --`,
      ].join("\n");
    });
    const driver = `source ${quoted(join(world.directory, "amof.bash"))}\n${asked.join("\n")}`;
    const path = `${join(world.directory, "bin")}:${world.env["PATH"] ?? ""}`;
    const before = await world.fingerprint();
    const ran = await world.command("bash", ["--norc", "-c", driver], { env: { PATH: path } });
    assertEquals([ran.code, ran.stderr], [0, ""]);
    const answers = ran.stdout.split("--\n").slice(0, -1).map((block) =>
      block.split("\n").filter((line) => line !== "")
    );
    assertEquals(
      cases.map(([line], index) => ({ line, offered: answers[index] ?? null })),
      cases.map(([line, offered]) => ({ line, offered: [...offered] })),
    );
    assertEquals(await world.changesSince(before), []);
  },
});

Deno.test("zsh and fish take their scripts, where they are installed", async () => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  for (const shell of ["zsh", "fish"]) {
    const found = await world.command("sh", ["-c", `command -v ${shell}`]).catch(() => null);
    if (found?.code !== 0) continue;
    await world.write("script", (await world.amof(["completions", shell])).stdout);
    const ran = await world.command(shell, ["-n", join(world.directory, "script")]);
    assertEquals([ran.code, ran.stderr], [0, ""], shell);
  }
});

Deno.test("tickets with workspaces of their own are offered wherever a ticket is named", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await world.patchState({
    tickets: { "BASE-1": { repos: {}, created_at: "2026-01-02T03:04:05Z" } },
  });
  await makeTicket(world, "OWN-1", { repos: ["api"] });
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["status -e demo -t ", ["OWN-1", "main"]],
    ["-e demo push --ticket O", ["OWN-1"]],
    ["-e demo log --ticket ", ["BASE-1", "OWN-1"]],
    ["-e demo runs list --ticket ", ["BASE-1", "OWN-1"]],
    ["-e demo audit --ticket ", ["BASE-1", "OWN-1"]],
    ["-e demo ticket switch ", ["BASE-1", "OWN-1", "main"]],
    ["-e demo ticket end ", ["BASE-1", "OWN-1"]],
    ["-e demo ticket path ", ["BASE-1", "OWN-1"]],
    ["-e demo ticket move ", ["BASE-1", "OWN-1"]],
    ["-e demo ticket conflicts ", ["BASE-1", "OWN-1"]],
    ["-e demo ticket env ", ["OWN-1"]],
    ["-e demo ticket detach ", ["OWN-1"]],
    ["-e demo ticket start ", ["BASE-1"]],
    // What is selected in a ticket is what it has.
    ["-e demo push -t OWN-1 --repo ", ["api"]],
    ["-e demo status -t OWN-1 --only on:", ["on:feature/OWN-1"]],
    ["-e demo push -t NONE-1 --repo ", ["api", "web"]],
  ];
  for (const [line, expected] of cases) await offers(world, line, expected);
});
