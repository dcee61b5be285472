/** The ways in which several targets lay modules out below a root (PACK-22, PACK-24). */

import { join } from "@std/path";
import { list } from "../../../base/text/words.ts";
import { bytesOf, concatBytes, type Content, encodeText } from "../content.ts";
import type { ModuleConfig } from "../config/config.ts";
import { allowsRemoteProgram, givenOutput, skillDirectory } from "../config/metadata.ts";
import { userHome } from "../io.ts";
import type { ComposedModule } from "../module/compose.ts";
import { aggregate } from "../module/syntax.ts";
import type { TargetName } from "../names.ts";
import type { Origin, OutputRule, RenderedFile, Rendering } from "./target.ts";

/** The file every instructions module has. */
export const INSTRUCTIONS_FILE = "AGENTS.md";

/** The bytes of a module's instructions. */
export function instructionsOf(module: ComposedModule): Uint8Array {
  const nothing = new Uint8Array();
  return bytesOf(module.files.get(INSTRUCTIONS_FILE)?.bytes ?? nothing) ?? nothing;
}

/** Where an output comes from: a file of a module. */
export function originOf({ config }: ComposedModule, modulePath: string): Origin {
  return { moduleId: config.id, moduleType: config.type, modulePath };
}

/** The instructions of a module below a head that the tool reads. */
export function ruleFile(
  module: ComposedModule,
  path: string,
  head: string,
  body = instructionsOf(module),
): RenderedFile {
  const header = encodeText(head);
  return {
    path,
    bytes: concatBytes([header, body]),
    executable: false,
    origins: [originOf(module, INSTRUCTIONS_FILE)],
    wayBack: { kind: "below_header", header },
  };
}

/** All instructions in one file. */
export function aggregatedInto(file: string): (modules: readonly ComposedModule[]) => Rendering {
  return (modules) => {
    if (modules.length === 0) return { files: [] };
    const sections = modules.map((module) => ({
      moduleId: module.config.id,
      bytes: instructionsOf(module),
    }));
    return {
      files: [{
        path: file,
        bytes: aggregate(sections),
        executable: false,
        origins: modules.map((module) => originOf(module, INSTRUCTIONS_FILE)),
        wayBack: { kind: "sections" },
      }],
    };
  };
}

/** The one file of a module, as it is to be rewritten. */
interface Given {
  readonly module: ComposedModule;
  /** Its name in the module. */
  readonly path: string;
  /** The name that it was given, or its own. */
  readonly name: string;
  readonly bytes: Content;
}

interface Rewritten extends Pick<RenderedFile, "path" | "bytes" | "wayBack"> {
  /** What it has and the tool does not know. */
  readonly lost?: readonly string[];
}

/** Modules of one file each in the form of a tool; a text says why one is left out, to complete "it …". */
export function rewritten(
  target: TargetName,
  make: (given: Given, all: readonly ModuleConfig[]) => Rewritten | string,
): OutputRule["render"] {
  return (modules, all = []) => {
    const warnings: string[] = [];
    const files = modules.flatMap((module): RenderedFile[] => {
      const [path, file] = [...module.files][0] ?? [];
      if (path === undefined || file === undefined) return [];
      const { id, type } = module.config;
      const name = givenOutput(module.config) ?? baseName(path);
      const made = make({ module, path, name, bytes: file.bytes }, all);
      if (typeof made === "string") {
        warnings.push(`The ${type} "${id}" is left out of ${target}: it ${made}`);
        return [];
      }
      const { lost = [], ...rest } = made;
      if (lost.length > 0) {
        warnings.push(
          `The ${type} "${id}" has ${list(lost, "and")}, which ${target} does not know`,
        );
      }
      return [{ ...rest, executable: false, origins: [originOf(module, path)] }];
    });
    return { files, warnings };
  };
}

/** Why a subagent that may bring programs of its own is left out, where others wrote it; null where it may go. */
export function refusedAgent({ config, upstream }: ComposedModule): string | null {
  return upstream.source.kind === "git" && !allowsRemoteProgram(config)
    ? "may run programs and comes from a git source; metadata.allow_remote_program lets it"
    : null;
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Modules with all their files as they are, each at the path that `place` gives it. */
function whole(
  place: (module: ComposedModule, path: string) => string,
): (modules: readonly ComposedModule[]) => Rendering {
  return (modules) => ({
    files: modules.flatMap((module) =>
      [...module.files].map(([path, { bytes, executable }]): RenderedFile => ({
        path: place(module, path),
        bytes,
        executable,
        origins: [originOf(module, path)],
        wayBack: { kind: "whole" },
      }))
    ),
  });
}

/** Modules of one file each, under the name they were given or the file's own, or what `rename` makes of it. */
export function singleFiles(
  below: string,
  rename: (name: string) => string = (name) => name,
): (modules: readonly ComposedModule[]) => Rendering {
  return whole(({ config }, path) => `${below}${rename(givenOutput(config) ?? baseName(path))}`);
}

/** Modules with all their files, each in a directory named after it. */
export function skillTrees(below: string): (modules: readonly ComposedModule[]) => Rendering {
  return whole((module, path) => `${below}${skillDirectory(module.config)}/${path}`);
}

/** What tells the rules of one kind apart: where their files are, and which option switches them. */
type LayoutKind =
  & Pick<OutputRule, "scope" | "option" | "on" | "rootName" | "root">
  & Partial<Pick<OutputRule, "rootOption" | "scanExtras">>;

/** A directory of a tool, given with `/`: in the user's home, or in the project; without a path these themselves. */
export function directoryIn(
  scope: "user" | "project",
  path = "",
): Pick<OutputRule, "scope" | "rootName" | "root"> {
  const base = scope === "user" ? "~" : "<project>";
  return {
    scope,
    rootName: path === "" ? base : `${base}/${path}`,
    root: (place) => join(scope === "user" ? userHome(place.env) : place.projectRoot, path),
  };
}

/** All instructions in one file that the tool reads. */
export function instructionsFile(name: string, ground: LayoutKind): OutputRule {
  return {
    type: "instructions",
    output: `${ground.rootName}/${name}`,
    scanExtras: false,
    assets: { kind: "file", name },
    render: aggregatedInto(name),
    ...ground,
  };
}

/** Whether a module is one file of TOML, as one tool alone has it. */
function isToml({ files }: ComposedModule): boolean {
  return [...files.keys()].some((path) => path.endsWith(".toml"));
}

/** Modules that are one Markdown file each, under their names. */
export function filesDirectory(
  type: "prompt" | "command" | "subagent",
  ground: LayoutKind,
): OutputRule {
  return {
    type,
    output: `${ground.rootName}/<file>`,
    scanExtras: true,
    assets: { kind: "files", suffix: ".md" },
    render: (modules) => singleFiles("")(modules.filter((module) => !isToml(module))),
    ...ground,
  };
}

/** Skills with all their files, each in a directory named after it. */
export function skillsDirectory(ground: LayoutKind): OutputRule {
  return {
    type: "skill",
    output: `${ground.rootName}/<skill_name>/…`,
    scanExtras: true,
    assets: { kind: "trees" },
    render: skillTrees(""),
    ...ground,
  };
}
