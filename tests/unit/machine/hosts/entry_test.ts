// What starts amof in the entry of a host: a name that stays, and never a path in a package manager's cache.

import { assert, assertEquals } from "@std/assert";
import { fittingFlags, sharedRoot } from "../../../../src/machine/hosts/host.ts";
import {
  consentFlags,
  entryOf,
  HOSTS,
  serveFlags,
  startWords,
} from "../../../../src/machine/hosts/mod.ts";
import { select } from "../../../../src/doors/mcp/selection.ts";
import type { System } from "../../../../src/base/system/mod.ts";
import { VERSION } from "../../../../src/base/version.ts";
import { COMMANDS } from "../../../../src/pipeline/registry.ts";

/** A system on which amof is at `path`, to which these links lead. */
function installedAt(path: string, links: readonly string[] = [], distribution = ""): System {
  const file = { kind: "file", size: 1, mode: 0o755, modifiedMs: 0 };
  return {
    env: {
      platform: "linux",
      program: "amof",
      get: (name: string) =>
        ({ PATH: "/home/me/.local/bin:/usr/bin", AMOF_DISTRIBUTION: distribution })[name],
    },
    files: {
      stat: (at: string) => Promise.resolve([path, ...links].includes(at) ? file : null),
      realPath: (at: string) => Promise.resolve(links.includes(at) ? path : at),
    },
    processes: { self: () => [path] },
  } as unknown as System;
}

Deno.test("a host starts amof by a name that stays when the next version comes", async () => {
  const cellar = "/home/linuxbrew/Cellar/amof/0.1.0/bin/amof";
  const link = "/home/me/.local/bin/amof";
  const npx = ["npx", "-y", `amof@${VERSION}`];
  assertEquals(await startWords(installedAt("/opt/amof/amof")), ["/opt/amof/amof"]);
  assertEquals(await startWords(installedAt(cellar, [link])), [link]);
  assertEquals(await startWords(installedAt("/opt/amof/amof", [], "npm")), npx);
  for (const cache of ["/home/me/.npm/_npx/1/node_modules/@amof/linux-x64/bin/amof"]) {
    assertEquals(await startWords(installedAt(cache)), npx);
  }
});

Deno.test("for everybody in a project amof is started by its name, or by npm", async () => {
  const link = "/home/me/.local/bin/amof";
  assertEquals(await startWords(installedAt("/opt/amof", [link]), "project"), ["amof"]);
  assertEquals(await startWords(installedAt("/opt/amof", [], "npm"), "project"), [
    "npx",
    "-y",
    `amof@${VERSION}`,
  ]);
  assertEquals(sharedRoot("claude-code", "."), ".");
  assertEquals(sharedRoot("vscode", "."), "${workspaceFolder}");
  assertEquals(sharedRoot("cursor", "../control"), "${workspaceFolder}/../control");
  assertEquals(sharedRoot("mcporter", "."), "..");
});

Deno.test("an entry has its host hand on what git and amof need", () => {
  const start = { words: ["amof"], root: "/control", flags: null };
  const there = {
    command: "amof",
    args: ["mcp", "serve"],
    env_vars: ["MINE", "HTTPS_PROXY"],
  };
  const codex = entryOf("codex", "amof", start, there)["env_vars"] as string[];
  assertEquals(codex.slice(0, 2), ["MINE", "HTTPS_PROXY"]);
  assertEquals(codex.filter((name) => name === "HTTPS_PROXY").length, 1);
  for (const name of ["SSH_AUTH_SOCK", "GIT_CONFIG_GLOBAL", "AMOF_HOME", "XDG_CONFIG_HOME"]) {
    assert(codex.includes(name), name);
  }
  assertEquals(entryOf("gemini", "amof", start, null)["env"], {
    SSH_AUTH_SOCK: "$SSH_AUTH_SOCK",
    AMOF_ROOT: "/control",
  });
  assertEquals(entryOf("cursor", "amof", start, null)["env_vars"], undefined);
});

Deno.test("an entry has the shape of its host, and what the host wrote into it stays", () => {
  const start = { words: ["npx", "amof"], root: "/control", flags: ["--read-only"] };
  const written = {
    type: "local",
    command: ["npx", "amof", "mcp", "serve", "--toolsets", "daily", "--read-only"],
    environment: { AMOF_ROOT: "/control" },
  };
  assertEquals(entryOf("opencode", "amof", start, null), written);
  const edited = { ...written, enabled: false, environment: { MINE: "1" } };
  assertEquals(serveFlags("kilo", edited), ["--toolsets", "daily", "--read-only"]);
  assertEquals(entryOf("kilo", "amof", { ...start, words: ["amof"], flags: null }, edited), {
    type: "local",
    enabled: false,
    command: ["amof", ...written.command.slice(2)],
    environment: { MINE: "1", AMOF_ROOT: "/control" },
  });
  const own = { transport: { type: "stdio", command: "amof", args: ["mcp", "serve"] } };
  assertEquals(entryOf("cline", "amof", { ...start, flags: null }, own), {
    type: "stdio",
    command: "npx",
    args: ["amof", "mcp", "serve"],
    env: { AMOF_ROOT: "/control" },
  });
  const { type, tools } = entryOf("copilot", "amof", start, {
    command: "amof",
    args: ["serve"],
    tools: [],
  });
  assertEquals([type, tools], ["local", []]);
});

Deno.test("an entry starts the server of amof, or something else", () => {
  assertEquals(serveFlags("cursor", { command: "x", args: ["mcp", "serve", "--read-only"] }), [
    "--read-only",
  ]);
  assertEquals(
    serveFlags("cursor", { command: "npx", args: ["-y", "amof@1", "mcp", "start"] }),
    [],
  );
  assertEquals(serveFlags("cursor", { command: "amof", args: ["serve"] }), []);
  assertEquals(serveFlags("cursor", { command: "x", args: ["-m", "serve"] }), null);
  assertEquals(serveFlags("cursor", { url: "https://example.com" }), null);
});

Deno.test("a host that shows no forms gets a server that a person approves for, unless the call decides", () => {
  const human = ["--confirm", "human"];
  const without = HOSTS.filter((host) => consentFlags(host, "amof", []).length > 0);
  const forms = HOSTS.filter((host) => !without.includes(host));
  assertEquals(forms, ["claude-code", "cursor", "vscode", "codex", "copilot"]);
  for (const host of without) {
    assertEquals(consentFlags(host, "stocktrim", ["--max-mode", "plan"]), human);
    assertEquals(consentFlags(host, "agentpack", []), []);
    assertEquals(consentFlags(host, "amof", ["--confirm", "token"]), []);
    assertEquals(consentFlags(host, "amof", ["--read-only"]), []);
  }
});

Deno.test("a host that bears few tools gets few enough to leave room for others", () => {
  const [flag, toolsets = ""] = fittingFlags("cursor");
  assertEquals(flag, "--toolsets");
  const usual = { tools: [], excluded: [], readOnly: false };
  const { listed } = select(COMMANDS, { ...usual, toolsets: toolsets.split(",") });
  assert(listed.length <= 32, String(listed.length));
  assert(listed.some(({ name }) => name === "amof_confirm"));
});

Deno.test("a toolset is left out by a minus, from the usual ones or those that are named", () => {
  const usual = { tools: [], excluded: [], readOnly: false };
  const names = (toolsets: readonly string[] | null, tools: readonly string[] = []) =>
    select(COMMANDS, { ...usual, toolsets, tools }).listed.map(({ name }) => name);
  const without = names(null).filter((name) => !name.startsWith("amof_spin_"));
  assertEquals(names(["-spin"]), without);
  assertEquals(names(["default", "-spin"]), without);
  assertEquals(names(["spin", "run", "-spin"]), names(["run"]));
  assert(names(["-spin"], ["amof_spin_deploy"]).includes("amof_spin_deploy"));
});
