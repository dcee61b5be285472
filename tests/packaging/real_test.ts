// Covers the packages of the compiled program, in the directory that AMOF_PACKAGES names: what they install starts, in an
// environment that has next to nothing.

import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { archiveName } from "../../.github/packaging/archive.ts";
import { debianVersion } from "../../.github/packaging/debian.ts";
import { bundleName } from "../../.github/packaging/mcpb.ts";
import { PROJECT } from "../../.github/packaging/project.ts";
import { targetHere } from "../../.github/packaging/targets.ts";
import { run } from "../../.github/packaging/tools.ts";

const PACKAGES = Deno.env.get("AMOF_PACKAGES");
const ignore = PACKAGES === undefined;
const { version } = PROJECT;

async function unpacked(work: (directory: string) => Promise<void>): Promise<void> {
  const directory = await Deno.realPath(await Deno.makeTempDir());
  try {
    await work(directory);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

/** Runs a program with nothing but what is given in its environment. */
async function bare(
  program: string,
  args: readonly string[],
  { env = {}, input = "" }: {
    readonly env?: Readonly<Record<string, string>>;
    readonly input?: string;
  } = {},
): Promise<string> {
  const child = new Deno.Command(program, {
    args: [...args],
    clearEnv: true,
    env: { ...env },
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input));
  await writer.close();
  return new TextDecoder().decode((await child.output()).stdout);
}

Deno.test({
  name: "the program of the archive starts without any environment",
  ignore,
  fn: () =>
    unpacked(async (directory) => {
      const target = targetHere();
      const archive = join(PACKAGES ?? "", archiveName(target));
      await run("tar", ["-xzf", archive, "-C", directory]);
      const folder = join(directory, `amof-${version}-${target.name}`);
      assertStringIncludes(await bare(join(folder, target.program), ["--version"]), version);
    }),
});

Deno.test({
  name: "the program of the Debian package starts under both of its names",
  ignore: ignore || targetHere().debian === null,
  fn: () =>
    unpacked(async (directory) => {
      const name = `amof_${debianVersion(version)}_${targetHere().debian}.deb`;
      await run("dpkg-deb", ["--extract", join(PACKAGES ?? "", name), directory]);
      for (const program of ["amof", "agentpack"]) {
        assertStringIncludes(
          await bare(join(directory, "usr/bin", program), ["--version"]),
          `${program} ${version}`,
        );
      }
    }),
});

/** The variables of a manifest as a host fills them in where nobody answers: what has no default stays as it is. */
function answered(
  env: Readonly<Record<string, string>>,
  asked: Readonly<Record<string, { readonly default?: unknown }>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => {
      const question = /^\$\{user_config\.(\w+)\}$/.exec(value)?.[1] ?? "";
      return [name, String(asked[question]?.default ?? value)];
    }),
  );
}

Deno.test({
  name:
    "the bundle's manifest starts a server, with what a host puts in for questions that nobody answered, too",
  ignore,
  fn: () =>
    unpacked(async (directory) => {
      await run("unzip", ["-q", join(PACKAGES ?? "", bundleName(targetHere())), "-d", directory]);
      const manifest = JSON.parse(await Deno.readTextFile(join(directory, "manifest.json")));
      const { command, args, env } = manifest.server.mcp_config;
      const messages = [
        {
          id: 1,
          method: "initialize",
          params: {
            protocolVersion: "2025-06-18",
            capabilities: {},
            clientInfo: { name: "host", version: "1" },
          },
        },
        { method: "notifications/initialized" },
        { id: 2, method: "tools/list" },
      ];
      const answers = await bare(command.replace("${__dirname}", directory), args, {
        env: { ...answered(env, manifest.user_config), HOME: directory },
        input: messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
          .join(""),
      });
      const [first, second] = answers.trim().split("\n").map((line) => JSON.parse(line));
      assertEquals(first.result.serverInfo.version, version);
      assertEquals(
        second.result.tools.map((tool: { name: string }) => tool.name).toSorted(),
        manifest.tools.map((tool: { name: string }) => tool.name).toSorted(),
      );
    }),
});
