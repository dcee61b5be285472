/**
 * Finds assets of coding tools that could become modules (PACK-56).
 *
 * Assets of places that only one tool reads become modules limited to that tool, so that importing them deploys them
 * nowhere new.
 *
 * @module
 */

import { basename, join } from "@std/path";
import { pathBelow } from "../../paths.ts";
import type { Files } from "../../system/mod.ts";
import { compareBytes, decodeText, encodeText } from "../bytes.ts";
import { isManifestName, readManifest } from "../engine/target_manifest.ts";
import type { Project } from "../identity/project.ts";
import { pathIn } from "../io.ts";
import { splitLines } from "../../text/diff/lines.ts";
import type { ModuleType, TargetName } from "../names.ts";
import { listTree, readTree, RESERVED, type TreeFile } from "../source/tree.ts";

/** An asset as it was found. */
export interface Found {
  readonly moduleId: string;
  readonly type: ModuleType;
  readonly scope: "user" | "project";
  /** The file or directory. */
  readonly source: string;
  /** Where it goes, relative to the config repo, with `/`: a directory for skills and instructions, else a file. */
  readonly destination: string;
  /** The files to write, relative to the destination; one with an empty path is the destination itself. */
  readonly files: readonly TreeFile[];
  readonly tags: readonly string[];
  readonly targets: readonly TargetName[];
  /** Why it cannot be read, or null. */
  readonly problem: string | null;
  /** Set for a linked directory, whose content is taken. */
  readonly warning: string | null;
}

/** Where to look. */
export interface ScanInput {
  readonly files: Files;
  /** The user's home. */
  readonly home: string;
  readonly project: Project;
}

type Place = {
  readonly tool: TargetName;
  readonly scope: "user" | "project";
  readonly directory: string;
  readonly kind: "prompt" | "command" | "skill" | "rule";
  /** Whether the module is for this tool only. */
  readonly limited: boolean;
};

/** A name as part of an id: lower case, everything but letters, digits, `-` and `_` as `-`. */
export function idPart(name: string): string {
  return Array.from(name.toLowerCase(), (char) => /^[a-z0-9_-]$/.test(char) ? char : "-").join("");
}

function placesOf({ home, project }: ScanInput): Place[] {
  const at = (scope: Place["scope"], path: string) => ({
    scope,
    directory: join(scope === "user" ? home : project.root, path),
  });
  const skills = (tool: TargetName, limited: boolean) =>
    ({ tool, kind: "skill", limited }) as const;
  return [
    { tool: "codex", ...at("user", ".codex/prompts"), kind: "prompt", limited: false },
    { ...skills("codex", false), ...at("user", ".codex/skills") },
    { tool: "claude_code", ...at("user", ".claude/commands"), kind: "command", limited: false },
    { tool: "claude_code", ...at("project", ".claude/commands"), kind: "command", limited: false },
    { ...skills("codex", false), ...at("project", ".codex/skills") },
    { ...skills("claude_code", true), ...at("user", ".claude/skills") },
    { ...skills("codex", true), ...at("user", ".agents/skills") },
    { ...skills("claude_code", true), ...at("project", ".claude/skills") },
    { ...skills("codex", true), ...at("project", ".agents/skills") },
    { tool: "cursor", ...at("project", ".cursor/rules"), kind: "rule", limited: true },
    { tool: "vscode", ...at("project", ".github/prompts"), kind: "prompt", limited: true },
  ];
}

/** Everything that could be imported, in the order of places and then of names. */
export async function scanAssets(input: ScanInput): Promise<Found[]> {
  const found: Found[] = [];
  found.push(...await instructions(input, "AGENTS.md", "codex", false));
  found.push(...await instructions(input, ".github/copilot-instructions.md", "vscode", true));
  for (const place of placesOf(input)) {
    const managed = await managedPaths(input.files, place);
    const entries = [...await input.files.list(place.directory)]
      .sort((a, b) => compareBytes(a.name, b.name));
    for (const { name } of entries) {
      if (isManifestName(name) || RESERVED.includes(name)) continue;
      const asset = place.kind === "skill"
        ? await skill(input, place, name, managed)
        : await single(input, place, name, managed);
      if (asset !== null) found.push(asset);
    }
  }
  return found;
}

/** What agentpack itself deployed there, relative to the place. */
async function managedPaths(
  files: Files,
  { tool, directory }: Pick<Place, "tool" | "directory">,
): Promise<readonly string[]> {
  const manifest = await readManifest(files, { target: tool, root: directory });
  return manifest.entries.map((entry) => entry.path);
}

function tagsOf(scope: Place["scope"], project: Project, ...tools: readonly string[]): string[] {
  return scope === "user"
    ? ["base", "imported", "user", ...tools]
    : ["imported", "project", `project-${project.id}`, ...tools];
}

const MANAGED = "it was deployed by agentpack";

async function instructions(
  { files, project }: ScanInput,
  path: string,
  tool: TargetName,
  limited: boolean,
): Promise<Found[]> {
  const source = pathIn(project.root, path);
  if ((await files.stat(source))?.kind !== "file") return [];
  const bytes = await files.readBytes(source) ?? new Uint8Array();
  const root = path.includes("/") ? join(project.root, ".github") : project.root;
  const managed = await managedPaths(files, { tool, directory: root });
  return [{
    ...common({ scope: "project", tool, limited }, project, source),
    moduleId: `instructions:project-${project.id}${limited ? `-${tool}` : ""}`,
    type: "instructions",
    destination: `modules/instructions/imported/${project.id}${limited ? `/${tool}` : ""}`,
    files: [{ path: "AGENTS.md", absolute: source, executable: false, bytes }],
    problem: managed.includes(basename(path)) ? MANAGED : null,
    warning: null,
  }];
}

/** The part of an id that a name gives. */
function partOf({ scope }: Place, project: Project, name: string): string {
  return scope === "user" ? idPart(name) : `project-${project.id}-${idPart(name)}`;
}

/** What an asset has from the place where it was found. */
function common(
  { scope, tool, limited }: Pick<Place, "scope" | "tool" | "limited">,
  project: Project,
  source: string,
) {
  return {
    scope,
    source,
    tags: tagsOf(scope, project, tool),
    targets: limited ? [tool] : [],
  };
}

async function skill(
  { files, project }: ScanInput,
  place: Place,
  name: string,
  managed: readonly string[],
): Promise<Found | null> {
  const source = join(place.directory, name);
  if ((await files.stat(source))?.kind !== "directory") return null;
  const linked = (await files.lstat(source))?.kind === "symlink";
  const part = partOf(place, project, name);
  const about = {
    ...common(place, project, source),
    moduleId: `skill:${part}`,
    type: "skill",
    destination: `modules/skills/imported/${part}`,
    warning: linked ? `"${source}" is a link; its content is copied` : null,
  } as const;
  if (managed.some((path) => path.startsWith(`${name}/`))) {
    return { ...about, files: [], problem: MANAGED };
  }
  try {
    const links = {
      refuse: (link: string, why: string) => new Error(`${link}: ${why}`),
      boundary: null,
    };
    const entries = await listTree(files, source, { skip: RESERVED, links });
    return { ...about, files: await readTree(files, entries), problem: null };
  } catch (error) {
    return { ...about, files: [], problem: error instanceof Error ? error.message : String(error) };
  }
}

const SUFFIX = { prompt: ".md", command: ".md", rule: ".mdc", skill: "" } as const;

async function single(
  { files, project }: ScanInput,
  place: Place,
  name: string,
  managed: readonly string[],
): Promise<Found | null> {
  const source = join(place.directory, name);
  const suffix = SUFFIX[place.kind];
  if (!name.endsWith(suffix) || (await files.stat(source))?.kind !== "file") return null;
  const bytes = await files.readBytes(source);
  if (bytes === null) return null;
  const stem = name.slice(0, -suffix.length).replace(/\.prompt$/, "");
  const where = place.scope === "user" ? "user" : `project-${project.id}`;
  const isRule = place.kind === "rule";
  const type = isRule ? "instructions" : place.kind === "command" ? "command" : "prompt";
  const destination = isRule
    ? `modules/instructions/imported/${project.id}/${idPart(stem)}`
    : place.kind === "command"
    ? `modules/claude-commands/imported/${where}/${name}`
    : `modules/prompts/imported/${place.scope === "user" ? "" : `${where}/`}${name}`;
  const content = isRule ? withoutHeader(bytes) : bytes;
  return {
    ...common(place, project, source),
    moduleId: `${type}:${partOf(place, project, stem)}`,
    type,
    destination,
    files: [{
      path: isRule ? "AGENTS.md" : "",
      absolute: source,
      executable: false,
      bytes: content,
    }],
    problem: managed.includes(pathBelow(place.directory, source) ?? "") ? MANAGED : null,
    warning: null,
  };
}

/** A rule of Cursor without its front matter, which is generated on the way back. */
function withoutHeader(bytes: Uint8Array): Uint8Array {
  const text = decodeText(bytes);
  const lines = text === null ? [] : splitLines(text);
  if (lines[0]?.trimEnd() !== "---") return bytes;
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === "---");
  if (end < 0) return bytes;
  return encodeText(lines.slice(end + 1).join("").replace(/^\r?\n/, ""));
}
