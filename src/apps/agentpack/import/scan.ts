/**
 * Finds assets of coding tools that could become modules (PACK-56): where a rule of a target writes, there the tool
 * reads, and there its own files are.
 */

import { join } from "@std/path";
import type { Environment, Files } from "../../../base/system/mod.ts";
import { compareBytes, type Content, decodeText, encodeText } from "../content.ts";
import type { Config } from "../config/config.ts";
import { isManifestName, type ManagedEntry, readManifest } from "../engine/target_manifest.ts";
import { rootCause } from "../../../base/error.ts";
import { type Project, relativePathProblem } from "../identity.ts";
import { pathIn } from "../io.ts";
import { TARGET_NAMES, type TargetName } from "../names.ts";
import { listTree, readContents, RESERVED, type TreeFile } from "../source/tree.ts";
import type { HookHost } from "../shared.ts";
import { hookTextOf } from "../target/hooks.ts";
import { moduleTextOf } from "../target/mcp.ts";
import { isTrouble, readTable } from "../../../state/entries/document.ts";
import { eventOf, isListed } from "../../../state/entries/types.ts";
import { secretsIn } from "../../../state/entries/shown.ts";
import { list } from "../../../base/text/words.ts";
import { TARGETS } from "../target/table.ts";
import { readFrontMatter, readToml } from "../module/syntax.ts";
import type { Assets, OutputRule, TargetPlace } from "../target/target.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { ruleFacts, ruleHead, splitRule } from "../target/cursor.ts";

// What the head of an imported rule or command says, and what its body is (PACK-56).

/** What a command is for that has no head to say so: its first line, as Claude Code shows it, else its name. */
async function described(
  content: Uint8Array,
  name: string,
): Promise<{ readonly description?: string }> {
  const text = decodeText(content);
  if (text === null || (await readFrontMatter(text)).kind !== "none") return {};
  const first = text.split("\n").map((line) => cleanLine(line.replace(/^#+\s+/, ""), 200).trim())
    .find((line) => line !== "");
  return { description: first ?? name };
}

/** The body of a rule of another tool, and its head word for word. */
function ruleBelowHead(
  bytes: Uint8Array,
  file: string,
): { readonly content: Uint8Array; readonly settings: Readonly<Record<string, unknown>> } {
  const text = decodeText(bytes);
  const { head, body } = splitRule(text ?? "");
  return { content: text === null ? bytes : encodeText(body), settings: { file, header: head } };
}

/** The body of a Cursor rule, and the settings by which exactly this file is written again. */
function ruleOf(
  bytes: Uint8Array,
  file: string,
): { readonly content: Uint8Array; readonly settings: Readonly<Record<string, unknown>> } {
  const text = decodeText(bytes);
  const { head, body } = splitRule(text ?? "");
  const content = text === null ? bytes : encodeText(body);
  const facts = ruleFacts(head);
  const isPlain = text === `${ruleHead(facts)}${body}` && body.endsWith("\n");
  return { content, settings: { ...facts, file, ...(isPlain ? {} : { header: head }) } };
}

/** An asset as it was found. */
export interface Asset {
  readonly tool: TargetName;
  /** The rule that would write it again. */
  readonly rule: OutputRule;
  /** The file or directory. */
  readonly source: string;
  /** Where the rule has to write it: relative to the root, with `/`. */
  readonly output: string;
  /** Its name for ids: the output without what its kind adds. */
  readonly name: string;
  /** The files of a module, relative to it; one with an empty path is the module itself. */
  readonly files: readonly TreeFile<Content>[];
  /** What `metadata` says under the name of the tool, for a rule with a head. */
  readonly settings: Readonly<Record<string, unknown>> | null;
  /** What a command without a head is for, as its first line says. */
  readonly description?: string;
  /** Why it cannot be taken, or null. */
  readonly problem: string | null;
  /** Set for a linked directory, whose content is taken. */
  readonly warning: string | null;
}

/** Something that a tool may read and that no module can hold. */
export interface Left {
  readonly path: string;
  readonly reason: string;
}

interface Scan {
  /** In the order of targets and their rules, then of names. */
  readonly assets: readonly Asset[];
  readonly left: readonly Left[];
}

interface ScanInput {
  readonly files: Files;
  readonly env: Environment;
  readonly config: Config;
  readonly project: Project;
  /** Another home than the user's; options and variables that move parts of a home do not count for it. */
  readonly home: string | null;
}

/** Where a rule writes, with what is there already. */
interface Place {
  readonly files: Files;
  readonly tool: TargetName;
  readonly rule: OutputRule;
  readonly root: string;
  /** What agentpack itself deployed there, relative to the root. */
  readonly managed: readonly string[];
}

const MANAGED = "it was deployed by agentpack";

/** Everything that could be imported, and what could not. */
export async function scanAssets(input: ScanInput): Promise<Scan> {
  const assets: Asset[] = [];
  const left: Left[] = [];
  for (const tool of TARGET_NAMES) {
    for (const rule of TARGETS[tool].rules) {
      if (rule.assets === undefined) continue;
      if (rule.scope === "project" && input.project.noProject !== null) continue;
      const root = (rule.formerRoot ?? rule.root)(placeOf(input, tool));
      const manifest = await readManifest(input.files, { target: tool, root });
      const managed = rule.assets.kind === "entries"
        ? entriesOf(rule.assets, manifest.shared)
        : manifest.entries.map((entry) => entry.path);
      await scanRule({ files: input.files, tool, rule, root, managed }, rule.assets, {
        assets,
        left,
      });
    }
  }
  const links = await linksAmong(input.files, assets);
  return {
    assets: assets.filter(({ source }) => !links.has(source)),
    left: [
      ...left,
      ...[...links].map(([path, to]) => ({
        path,
        reason: `it is a link to "${to}", which is looked at itself`,
      })),
    ],
  };
}

/**
 * Assets that are links to what another rule finds, with where they lead. A deploy would put files in their
 * place, or be refused because they lead out of their root.
 */
async function linksAmong(
  files: Files,
  assets: readonly Asset[],
): Promise<ReadonlyMap<string, string>> {
  const real = new Map<string, Asset>();
  const linked: [real: string, asset: Asset][] = [];
  for (const asset of assets) {
    const path = await files.realPath(asset.source) ?? asset.source;
    const isLink = (await files.lstat(asset.source))?.kind === "symlink";
    if (isLink) linked.push([path, asset]);
    else if (!real.has(path)) real.set(path, asset);
  }
  return new Map(linked.flatMap(([path, { source, rule }]) => {
    const to = real.get(path);
    return to === undefined || to.rule === rule ? [] : [[source, to.source] as const];
  }));
}

/** How a target is set up where the scan looks. */
function placeOf({ env, config, project, home }: ScanInput, tool: TargetName): TargetPlace {
  const facts = { scope: "both", projectRoot: project.root, hasProject: true } as const;
  if (home === null) return { ...facts, env, options: config.targets.get(tool)?.options ?? {} };
  return { ...facts, env: { ...env, home, get: () => undefined }, options: {} };
}

interface Collected {
  readonly assets: Asset[];
  readonly left: Left[];
}

async function scanRule(place: Place, assets: Assets, found: Collected): Promise<void> {
  switch (assets.kind) {
    case "file":
      return await scanFile(place, assets.name, found);
    case "trees":
      return await scanTrees(place, found);
    case "entries":
      return await scanEntries(place, assets, found);
    case "files":
    case "rules":
      return await scanFiles(place, assets, "", found);
  }
}

async function childrenOf({ files }: Place, directory: string) {
  return [...await files.list(directory)]
    .filter(({ name }) => !isManifestName(name) && !RESERVED.includes(name))
    .sort((a, b) => compareBytes(a.name, b.name));
}

/** A file as the only one of a module. */
function onlyFile(path: string, source: string, bytes: Uint8Array): TreeFile {
  return { path, absolute: source, executable: false, bytes };
}

async function scanFile(place: Place, name: string, found: Collected): Promise<void> {
  const source = pathIn(place.root, name);
  if ((await place.files.stat(source))?.kind !== "file") return;
  const bytes = await place.files.readBytes(source);
  if (bytes === null) return;
  found.assets.push({
    tool: place.tool,
    rule: place.rule,
    source,
    output: name,
    name: "",
    files: [onlyFile("AGENTS.md", source, bytes)],
    settings: null,
    problem: place.managed.includes(name) ? MANAGED : null,
    warning: null,
  });
}

/** The names of entries that are ours in the file of a rule. */
function entriesOf(
  { shared }: Assets & { readonly kind: "entries" },
  listed: readonly ManagedEntry[],
): string[] {
  return listed.filter(({ path }) => path === shared.file).map(({ name }) => name);
}

/** A module that gives an entry again, or why there is none, and what the entry is called there. */
function moduleOf(
  { tool }: Place,
  { shared, listed }: Assets & { readonly kind: "entries" },
  { name, value }: { readonly name: string; readonly value: unknown },
) {
  if (listed !== true) return { called: name, made: moduleTextOf(tool, value) };
  const event = eventOf(name);
  const called = `${event.toLowerCase()}-${name.slice(name.lastIndexOf(".") + 1)}`;
  if (called.includes("#")) {
    const problem = `another one of ${event} in ${shared.file} runs the same`;
    return { called: called.replace("#", "-"), made: { problem } };
  }
  return { called, made: hookTextOf(tool as HookHost, event, value) };
}

/** Why what holds secrets is left where it is. */
function secretProblem(members: readonly string[]): string {
  return `it has what looks like a secret in ${
    list(members)
  }, which would be copied into the config repo; name a variable instead`;
}

/** Why a subagent of Codex, which may have servers of its own, is left where it is; null for no reason. */
async function agentProblem(bytes: Uint8Array): Promise<string | null> {
  const whole = await readToml(decodeText(bytes) ?? "");
  const secrets = secretsIn(whole).map(({ member }) => member);
  return typeof whole === "string" || secrets.length === 0 ? null : secretProblem(secrets);
}

/** Entries of a shared file, each a module; what holds a secret stays where it is. */
async function scanEntries(
  place: Place,
  assets: Assets & { readonly kind: "entries" },
  found: Collected,
): Promise<void> {
  const { shared } = assets;
  const source = pathIn(place.root, shared.file);
  if ((await place.files.stat(source))?.kind !== "file") return;
  const text = decodeText(await place.files.readBytes(source) ?? new Uint8Array());
  const table = text === null
    ? { problem: "it is not valid UTF-8", line: null }
    : await readTable(shared, text);
  if (isTrouble(table)) {
    const where = table.line === null ? "" : `line ${table.line}: `;
    found.left.push({ path: source, reason: `${where}${table.problem}` });
    return;
  }
  for (const [name, value] of table.entries) {
    if (isListed(shared, name) !== (assets.listed === true)) continue;
    const secrets = secretsIn(value).map(({ member }) => member);
    const { called, made } = moduleOf(place, assets, { name, value });
    const unfit = relativePathProblem(called);
    const problem = place.managed.includes(name)
      ? MANAGED
      : secrets.length > 0
      ? secretProblem(secrets)
      : unfit !== null
      ? `its name ${unfit}`
      : "problem" in made
      ? made.problem
      : null;
    const bytes = encodeText("text" in made ? made.text : "{}\n");
    found.assets.push({
      tool: place.tool,
      rule: place.rule,
      source,
      output: called,
      name: called,
      files: [onlyFile("", source, bytes)],
      settings: null,
      problem,
      warning: null,
    });
  }
}

async function scanTrees(place: Place, found: Collected): Promise<void> {
  for (const { name } of await childrenOf(place, place.root)) {
    if (name.startsWith(".")) continue;
    const source = join(place.root, name);
    const info = await place.files.stat(source);
    if (info?.kind === "directory") found.assets.push(await tree(place, name, source));
    else found.left.push({ path: source, reason: "a skill is a directory with a SKILL.md" });
  }
}

async function tree(place: Place, name: string, source: string): Promise<Asset> {
  const linked = (await place.files.lstat(source))?.kind === "symlink";
  const about = {
    tool: place.tool,
    rule: place.rule,
    source,
    output: name,
    name,
    settings: null,
    warning: linked
      ? `"${source}" is a link; its content is copied, and no deploy writes through the link`
      : null,
  };
  if (place.managed.some((path) => path.startsWith(`${name}/`))) {
    return { ...about, files: [], problem: MANAGED };
  }
  try {
    const links = {
      refuse: (link: string, why: string) => new Error(`${link}: ${why}`),
      boundary: null,
    };
    const entries = await listTree(place.files, source, { skip: RESERVED, links });
    return { ...about, files: await readContents(place.files, entries), problem: null };
  } catch (error) {
    return { ...about, files: [], problem: rootCause(error) };
  }
}

/** Files below the root, in directories, too; `below` is the directory that is looked at, with a `/` at its end. */
async function scanFiles(
  place: Place,
  assets: Assets & { readonly kind: "files" | "rules" },
  below: string,
  found: Collected,
): Promise<void> {
  const { suffix } = assets;
  for (const { name, kind } of await childrenOf(place, pathIn(place.root, below))) {
    if (name.startsWith(".")) continue;
    const output = `${below}${name}`;
    const source = pathIn(place.root, output);
    const leave = (reason: string) => void found.left.push({ path: source, reason });
    if (kind === "directory") await scanFiles(place, assets, `${output}/`, found);
    else if ((await place.files.stat(source))?.kind !== "file") {
      leave(kind === "symlink" ? "the link leads to no file" : "it is no file");
    } else if (!name.endsWith(suffix) || name === suffix) {
      leave(`only names that end in ${suffix} are read there`);
    } else {
      const bytes = await place.files.readBytes(source);
      if (bytes === null) continue;
      const { content, settings } = assets.kind === "rules"
        ? (place.tool === "cursor" ? ruleOf : ruleBelowHead)(bytes, output)
        : { content: bytes, settings: null };
      const inModule = assets.kind === "rules" ? "AGENTS.md" : "";
      found.assets.push({
        tool: place.tool,
        rule: place.rule,
        source,
        output,
        name: output.slice(0, -suffix.length),
        files: [onlyFile(inModule, source, content)],
        settings,
        ...(place.rule.type === "command" ? await described(content, name) : {}),
        problem: place.managed.includes(output)
          ? MANAGED
          : place.rule.type === "subagent" && suffix === ".toml"
          ? await agentProblem(content)
          : null,
        warning: null,
      });
    }
  }
}
