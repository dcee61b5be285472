// Covers loadSettings(): what counts, the environment before the file, and what is said of a file that is wrong.

import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { AmofError } from "../../../../src/base/error.ts";
import { loadSettings, NO_SETTINGS, withSettings } from "../../../../src/state/settings/mod.ts";
import { memoryWorld } from "../../../support/memory.ts";

const FILE = "/home/tester/.config/amof/config.yaml";

function world(text: string | null, env: Readonly<Record<string, string>> = {}) {
  return memoryWorld({ env, ...(text === null ? {} : { files: { [FILE]: text } }) }).system;
}

/** What is said of a file that cannot be used. */
async function refusal(text: string): Promise<string> {
  const error = await assertRejects(() => loadSettings(world(text)), AmofError);
  assertEquals(error.code, "settings_invalid");
  return error.message.replace(`Cannot use the settings in ${FILE}: `, "");
}

Deno.test("without a file, and with one that sets nothing, everything is as it comes", async () => {
  for (const text of [null, "", "\n", "# nothing yet\n", "jobs:\ncolor: # not yet\n"]) {
    assertEquals(await loadSettings(world(text)), NO_SETTINGS, String(text));
  }
});

Deno.test("a file says everything", async () => {
  const text = [
    "root: ~/control",
    "jobs: 7",
    "color: never",
    "next_steps: off",
    "editor: code --wait",
    "pager: less -S",
    "timeout: 300",
    "stall_timeout: 90",
    "verdicts: off",
    "notify: off",
    "approve_with: passkey",
    "box: always",
    "box_network: none",
    "box_write: [~/.claude, /var/cache/x]",
    "box_show: ~/.npmrc",
    "undo: off",
    "undo_days: 3",
    "undo_runs: 5",
    "undo_mb: 100",
    "engine: cluster",
    "engines: {cluster: {kind: slurm, directory: /shared/amof, parallel: 20}}",
    "hosts: {git.example.com: {concurrent: 8, per_minute: 2400}}",
    "aliases:",
    "  st: status --fetch",
  ].join("\n");
  const settings = await loadSettings(world(text));
  assertEquals(settings, {
    root: "/home/tester/control",
    jobs: 7,
    color: "never",
    nextSteps: false,
    editor: "code --wait",
    pager: "less -S",
    timeout: 300,
    stallTimeout: 90,
    verdicts: false,
    notify: false,
    passkeyOnly: true,
    boxAlways: true,
    boxNetwork: "none",
    boxPaths: {
      hide: [],
      show: ["/home/tester/.npmrc"],
      write: ["/home/tester/.claude", "/var/cache/x"],
    },
    undo: { on: false, days: 3, runs: 5, mb: 100 },
    engine: "cluster",
    engines: { cluster: { kind: "slurm", directory: "/shared/amof", parallel: 20 } },
    hosts: { "git.example.com": { concurrent: 8, per_minute: 2_400 } },
    aliases: { st: "status --fetch" },
  });
  const { env } = withSettings(world(text), settings);
  assertEquals(env.get("AMOF_STALL_TIMEOUT"), "90");
});

Deno.test("a variable counts before the file, and says so when it is wrong", async () => {
  const text = "jobs: 7\ncolor: never\nnext_steps: off\neditor: vi\npager: less\ntimeout: 5\n";
  const env = {
    AMOF_JOBS: "3",
    AMOF_COLOR: "always",
    AMOF_NEXT_STEPS: "on",
    AMOF_EDITOR: "nano",
    AMOF_PAGER: "off",
    AMOF_TIMEOUT: "60",
  };
  const { jobs, color, nextSteps, editor, pager, timeout } = await loadSettings(world(text, env));
  assertEquals([jobs, color, nextSteps, editor, pager, timeout], [
    3,
    "always",
    true,
    "nano",
    "off",
    60,
  ]);
  const stall = world("stall_timeout: 90\n", { AMOF_STALL_TIMEOUT: "20" });
  assertEquals(withSettings(stall, await loadSettings(stall)).env.get("AMOF_STALL_TIMEOUT"), "20");
  const error = await assertRejects(
    () => loadSettings(world(text, { AMOF_JOBS: "many" })),
    AmofError,
    'Cannot use AMOF_JOBS: it must be a whole number from 1 to 999, not "many"',
  );
  assertEquals(error.code, "invalid_arguments");
});

Deno.test("AMOF_CONFIG names another file, which must be an absolute path", async () => {
  const files = { [FILE]: "jobs: 1\n", "/else/where.yaml": "jobs: 2\n" };
  const jobs = async (AMOF_CONFIG: string) =>
    (await loadSettings(memoryWorld({ files, env: { AMOF_CONFIG } }).system)).jobs;
  assertEquals([await jobs(""), await jobs("/else/where.yaml"), await jobs("/none")], [1, 2, null]);
  await assertRejects(() => jobs("where.yaml"), AmofError, "it is not an absolute path");
});

Deno.test("what is wrong in a file is named with its line", async () => {
  assertEquals(
    await refusal("# mine\njobs: 0\n"),
    "line 2: jobs must be a whole number from 1 to 999, not 0",
  );
  assertEquals(
    await refusal("color: alway\njobs: x\n"),
    'line 1: color must be auto, always or never, not "alway"; did you mean "always"?; line 2: jobs must be a whole number from 1 to 999, not "x"',
  );
  assertEquals(
    await refusal("root: control\n"),
    'line 1: root must be an absolute path or begin with ~/, not "control"',
  );
  assertEquals(
    await refusal("aliases:\n  st: status\n  a b: sync\n"),
    "line 3: aliases.a b must be one word of letters, digits, - and _",
  );
  assertEquals(
    await refusal("aliases:\n  st: 'status \"x'\n"),
    'line 2: aliases.st has a quote that is never closed: "status "x"',
  );
  assertEquals(
    await refusal("- jobs\n"),
    "the file must hold settings, each as NAME: VALUE",
  );
  assertEquals(
    (await refusal("jobs: 3\ncolor: [never\n")).slice(0, 27),
    "line 3: not valid YAML: Flo",
  );
});

Deno.test("lenient loading takes what it can use of a broken file, and nothing of a broken environment", async () => {
  const text = "jobs: 7\ncolor: alway\n";
  assertEquals((await loadSettings(world(text), { lenient: true })).jobs, 7);
  assertEquals(
    await loadSettings(world(text, { AMOF_JOBS: "x" }), { lenient: true }),
    NO_SETTINGS,
  );
});

Deno.test("an engine that is not described as it must be is told with its line", async () => {
  const problems: readonly (readonly [string, string])[] = [
    ["cluster: slurm", "must be an engine with a kind"],
    ["cluster: {kind: slrm}", "must be local, slurm or kubernetes"],
    ["cluster: {kind: slurm}", "needs a directory that all nodes see"],
    ["cluster: {kind: kubernetes}", "needs an image"],
    ["cluster: {kind: kubernetes, image: -v}", "must be an image"],
    ["cluster: {kind: kubernetes, image: amof, namespace: A}", "must be a name as Kubernetes"],
    ["cluster: {kind: slurm, directory: shared}", "must be an absolute path"],
    ["cluster: {kind: slurm, directory: /s, partition: --all}", "must be a name"],
    ["cluster: {kind: local, directory: /s}", "there is no such member"],
    ["cluster: {kind: local, paralel: 3}", 'did you mean "parallel"?'],
    ["cluster: {kind: local, constructor: 3}", "there is no such member"],
    ["cluster: {kind: local, parallel: 0}", "must be a whole number from 1 to 1000"],
    ["cluster: {kind: local, time: soon}", "must be a time such as"],
    ["cluster: {kind: local, env: [A=B]}", "must be a list of names"],
    ["local: {kind: local}", "is always there"],
    ["-x: {kind: local}", "must be one word"],
  ];
  await assertEachTold("engines", problems);
});

Deno.test("a host whose limits are not what they must be is told with its line", async () => {
  await assertEachTold("hosts", [
    ["git.example.com: 5", "must be a host with its limits"],
    ["git.example.com: {per_minute: 0}", "must be a whole number from 1 to 1000000"],
    ["git.example.com: {concurent: 3}", 'did you mean "concurrent"?'],
    ["git.example.com: {burst: 3}", "there is no such member"],
    ["Git.Example.com: {concurrent: 3}", "in lower case and without a port"],
    ["git.example.com:8080: {concurrent: 3}", "in lower case and without a port"],
  ]);
});

/** Loads a file in which a setting has one member on its second line, for each, and looks at what is told. */
async function assertEachTold(
  setting: string,
  problems: readonly (readonly [string, string])[],
): Promise<void> {
  for (const [line, problem] of problems) {
    const error = await assertRejects(
      () => loadSettings(world(`${setting}:\n  ${line}\n`)),
      AmofError,
    );
    assertEquals(error.code, "settings_invalid", line);
    assertStringIncludes(error.message, `line 2: ${setting}.`, line);
    assertStringIncludes(error.message, problem, line);
  }
}
