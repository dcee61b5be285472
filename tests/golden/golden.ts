/**
 * What is kept as golden files: every public surface that must not change by accident.
 *
 * @module
 */

import { fromFileUrl, join } from "@std/path";
import { manifestFiles } from "../../.github/packaging/manifests.ts";
import { commandHelp, groupHelp, overview } from "../../src/doors/cli/asked_page.ts";
import { AGENTPACK_CODES } from "../../src/apps/agentpack/error.ts";
import { DOOR_COMMANDS, packHelp, packOverview } from "../../src/doors/agentpack/cli/help.ts";
import { PACK_ENTRIES } from "../../src/doors/agentpack/cli/parse.ts";
import { SCRIPTS } from "../../src/doors/cli/completion/scripts.ts";
import { TOPIC_ROWS, topicHelp, TOPICS } from "../../src/doors/cli/topics.ts";
import { allSchemas } from "../../src/doors/cli/programs/schema.ts";
import { openApi } from "../../src/doors/http/api/openapi.ts";
import { PACK_TOOLS, toPackTool } from "../../src/doors/agentpack/mcp/tools.ts";
import { deploy, setUp } from "../support/pack_fixture.ts";
import { PackWorld } from "../support/pack_world.ts";
import { toTool } from "../../src/doors/mcp/tool.ts";
import { hostFiles } from "./hosts.ts";
import { referencePages } from "./reference/mod.ts";
import { templateFiles } from "./templates.ts";
import { COMMANDS, ENTRIES } from "../support/loaded.ts";

const GOLDEN = fromFileUrl(new URL("./files/", import.meta.url));
const DEPLOYED = fromFileUrl(new URL("./deployed/", import.meta.url));
const MANIFESTS = fromFileUrl(new URL("../../.github/packaging/manifests/", import.meta.url));
const REFERENCE = fromFileUrl(new URL("../../.github/docs/reference/", import.meta.url));
const SCHEMAS = fromFileUrl(new URL("../../schemas/", import.meta.url));

/** A set of files of one directory, as they should be. */
export interface FileSet {
  readonly directory: string;
  readonly files: ReadonlyMap<string, string>;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Help pages, completion scripts, tool declarations and the templates of answers. */
export async function goldenFiles(): Promise<FileSet> {
  const entries = ENTRIES;
  const files = new Map<string, string>([
    ["help/amof.txt", overview(entries, TOPIC_ROWS)],
  ]);
  for (const name of Object.keys(TOPICS)) {
    files.set(`help/topic_${name}.txt`, await topicHelp(name) ?? "");
  }
  for (const entry of entries) {
    const group = entry.path[0] ?? "";
    // Words that are a command themselves show that, with the commands below it.
    const isGroup = !entries.some((other) => other.path.join(" ") === group);
    if (isGroup) files.set(`help/${group}.txt`, groupHelp([group], entries));
    if (entry.kind === "program" && (entry.hidden || entry.delegate !== undefined)) continue;
    files.set(`help/${entry.path.join("_")}.txt`, await commandHelp(entry, entries));
  }
  for (const [name, page] of packPages()) files.set(`help/agentpack${name}.txt`, page);
  for (const [shell, script] of Object.entries(SCRIPTS)) files.set(`completions/${shell}.txt`, script);
  for (const command of COMMANDS) {
    if (command.mcp !== "never") files.set(`tools/${command.name}.json`, json(await toTool(command, true)));
  }
  for (const [name, text] of await hostFiles()) files.set(name, text);
  files.set("agentpack_codes.json", json(AGENTPACK_CODES));
  for (const tool of PACK_TOOLS.values()) {
    files.set(`tools/agentpack/${tool.spec.name}.json`, json(toPackTool(tool, "2025-06-18")));
  }
  for (const [name, text] of await templateFiles()) files.set(name, text);
  return { directory: GOLDEN, files };
}

/** The pages of agentpack's own command line. */
function packPages(): [string, string][] {
  const prefix = "amof agentpack";
  return [
    ["", packOverview(prefix)],
    ...[...PACK_ENTRIES, ...DOOR_COMMANDS].map((entry): [string, string] => [`/${entry.path.join("_")}`, packHelp(entry, prefix)]),
  ];
}

/** What one config repo becomes in every target that writes by default, to the byte. */
export async function deployedFiles(): Promise<FileSet> {
  await using world = await PackWorld.make();
  const both = ["codex", "claude_code", "gemini"].map((name) => `  ${name}: { mode: files, scope: both }`);
  const project = ["cursor", "vscode", "jetbrains", "zed"].map((name) =>
    `  ${name}: { mode: files, scope: project }`
  );
  await setUp(
    world,
    [
      ...both,
      ...project,
      "  export_dir: { mode: files, scope: both, options: { root: export } }",
    ].join("\n"),
  );
  await deploy(world, { profile: "more" });
  const files = new Map<string, string>();
  for (const [place, root] of [["user", world.home], ["project", world.project]] as const) {
    for (const [path, { text, mode }] of Object.entries(await world.tree(root))) {
      if (path.endsWith("/")) continue;
      const name = path.slice(root.length + 1);
      files.set(`${place}/${name}${mode === "755" ? ".executable" : ""}`, text);
    }
  }
  return { directory: DEPLOYED, files };
}

/** The published JSON Schemas, and the document about the HTTP API. */
export async function schemaFiles(): Promise<FileSet> {
  const files = new Map<string, string>();
  for (const [name, schema] of await allSchemas()) files.set(`${name}.schema.json`, json(schema));
  files.set("openapi.json", json(await openApi()));
  return { directory: SCHEMAS, files };
}

/** The pages of reference: manifest, commands, tools, environment, errors, settings. */
export async function referenceSet(): Promise<FileSet> {
  return { directory: REFERENCE, files: await referencePages() };
}

/** What registries and hosts are told of the server. */
export function manifestSet(): FileSet {
  return { directory: MANIFESTS, files: manifestFiles() };
}

async function existing(directory: string, below = ""): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const entry of Deno.readDir(join(directory, below))) {
      const name = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory) names.push(...await existing(directory, name));
      // Pictures are made by hand.
      else if (!name.endsWith(".png")) names.push(name);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return names;
}

/** The files that are missing, different or left over. */
export async function drift(set: FileSet): Promise<string[]> {
  const problems: string[] = [];
  for (const [name, content] of set.files) {
    const path = join(set.directory, name);
    const found = await Deno.readTextFile(path).catch(() => null);
    if (found === null) problems.push(`missing: ${name}`);
    // A checkout with other line ends is the same text.
    else if (found.replaceAll("\r\n", "\n") !== content) problems.push(`different: ${name}`);
  }
  for (const name of await existing(set.directory)) {
    if (!set.files.has(name)) problems.push(`left over: ${name}`);
  }
  return problems.sort();
}

/** Writes the files and removes what is left over. */
export async function write(set: FileSet): Promise<void> {
  for (const name of await existing(set.directory)) {
    if (!set.files.has(name)) await Deno.remove(join(set.directory, name));
  }
  for (const [name, content] of set.files) {
    const path = join(set.directory, name);
    await Deno.mkdir(join(path, ".."), { recursive: true });
    await Deno.writeTextFile(path, content);
  }
}
