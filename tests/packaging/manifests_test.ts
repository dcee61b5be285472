// Covers what registries, hosts and other package managers are told: their limits, and that what is inside of links and
// formulas is what it should be.

import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { archiveName } from "../../.github/packaging/archive.ts";
import { debianVersion } from "../../.github/packaging/debian.ts";
import { brewFormula, scoopManifest, wingetManifest } from "../../.github/packaging/formulas.ts";
import { cursorLink, registryEntry, vscodeLink } from "../../.github/packaging/manifests.ts";
import { platformManifest, wrapperManifest } from "../../.github/packaging/npm.ts";
import { PROJECT } from "../../.github/packaging/project.ts";
import { targetOf, TARGETS } from "../../.github/packaging/targets.ts";

const { version } = PROJECT;
const START = ["-y", `amof@${version}`, "mcp", "serve"];

Deno.test("the entry of the MCP registry keeps its limits, and is that of the npm package", () => {
  const bundles = TARGETS.map((target) => ({
    file: `amof-${target.name}.mcpb`,
    sha256: "a".repeat(64),
  }));
  const entry = JSON.parse(JSON.stringify(registryEntry(bundles)));
  assert(entry.description.length >= 1 && entry.description.length <= 100, entry.description);
  assertMatch(entry.name, /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
  assertEquals(entry.name, wrapperManifest()["mcpName"]);
  assertEquals(entry.packages.length, 1 + TARGETS.length);
  for (const one of entry.packages) {
    assertEquals(one.version, version);
    assertEquals(one.transport, { type: "stdio" });
    if (one.registryType === "mcpb") assertMatch(one.identifier, /^https:\/\/.*mcp/);
  }
});

Deno.test("the npm package asks for the program of every system, in its own version", () => {
  const { optionalDependencies } = wrapperManifest() as {
    optionalDependencies: Record<string, string>;
  };
  assertEquals(
    Object.keys(optionalDependencies),
    TARGETS.map((target) => String(platformManifest(target)["name"])),
  );
  assertEquals([...new Set(Object.values(optionalDependencies))], [version]);
});

Deno.test("the links that install the server start what the packages start", () => {
  const redirect = new URL(vscodeLink()).searchParams.get("url") ?? "";
  const vscode = JSON.parse(decodeURIComponent(redirect.replace("vscode:mcp/install?", "")));
  assertEquals([vscode.name, vscode.command, vscode.args], ["amof", "npx", START]);
  assertEquals(vscode.env.AMOF_ROOT, `\${input:${vscode.inputs[0].id}}`);
  const config = new URL(cursorLink()).searchParams.get("config") ?? "";
  const cursor = JSON.parse(atob(config));
  assertEquals([cursor.command, cursor.args], ["npx", START]);
});

Deno.test("formulas name the archive of each system with its sum", () => {
  const sums = new Map(TARGETS.map(({ name }, index) => [name, String(index).repeat(64)]));
  const brew = brewFormula(sums);
  for (const [index, target] of TARGETS.entries()) {
    if (target.os === "win32") continue;
    assertMatch(
      brew,
      new RegExp(
        `${archiveName(target).replaceAll(".", "\\.")}"\n *sha256 "${String(index).repeat(64)}"`,
      ),
    );
  }
  const scoop = JSON.parse(scoopManifest(sums));
  assertStringIncludes(scoop.architecture["64bit"].url, archiveName(targetOf("win32-x64")));
  assertEquals(scoop.architecture["64bit"].hash, "4".repeat(64));
  assertStringIncludes(wingetManifest(sums), `InstallerSha256: ${"4".repeat(64)}\n`);
  assertThrows(() => brewFormula(new Map()), Error, "The sum of the archive for");
});

Deno.test("a version before a release is older than it for Debian, too", () => {
  assertEquals(debianVersion("0.2.0-rc.1"), "0.2.0~rc.1");
});

Deno.test("the icon of the plugin lies where its manifest says", async () => {
  const plugin = fromFileUrl(
    new URL("../../.github/packaging/manifests/claude/plugins/amof/", import.meta.url),
  );
  const text = await Deno.readTextFile(join(plugin, ".claude-plugin", "plugin.json"));
  const { icon } = JSON.parse(text) as { icon: string };
  assert((await Deno.stat(join(plugin, icon))).isFile);
});
