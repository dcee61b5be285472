/**
 * The modules of `src` as text, and which of them are loaded with others.
 *
 * @module
 */

import { dirname, fromFileUrl, join, normalize, relative } from "@std/path";

/** The sources of the program. */
export const SRC = fromFileUrl(new URL("../../src", import.meta.url));

/** A module of `src`. */
export interface Module {
  /** Relative to src/, with `/`. */
  readonly name: string;
  readonly text: string;
  /** Other modules of src/ it imports. */
  readonly imports: readonly string[];
}

/** The modules below a directory, by their paths. */
export async function sources(directory: string): Promise<string[]> {
  const files: string[] = [];
  for await (const entry of Deno.readDir(directory)) {
    const path = join(directory, entry.name);
    if (entry.isDirectory) files.push(...await sources(path));
    else if (/\.tsx?$/.test(entry.name) && !entry.name.endsWith(".d.ts")) files.push(path);
  }
  return files.sort();
}

/** Every module of `src`. */
export const MODULES: readonly Module[] = await Promise.all(
  (await sources(SRC)).map(async (path) => {
    const text = await Deno.readTextFile(path);
    // Examples in doc comments import their own module.
    const code = text.replaceAll(/\/\*[\s\S]*?\*\//g, "");
    const specifiers = [...code.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map((match) =>
      match[1] ?? ""
    );
    return {
      name: relative(SRC, path).replaceAll("\\", "/"),
      text,
      imports: specifiers.map((specifier) =>
        relative(SRC, normalize(join(dirname(path), specifier))).replaceAll("\\", "/")
      )
        .filter((name) => !name.startsWith("..")),
    };
  }),
);

/** What the program could leave out: the files of its wings by where they are. */
export const WINGS: Readonly<Record<string, RegExp>> = {
  "programs on engines":
    /^(?:engine\/|commands\/(?:agent|campaign|engine|exec)\/|commands\/(?:run|tasks)\.ts|doors\/cli\/programs\/shard_run\.ts)/,
  undo: /^commands\/(?:undo\/|operations\.ts)/,
  server: /^(?:doors\/http|commands\/server|doors\/cli\/programs\/server)\//,
  agentpack: /^(?:apps|doors)\/agentpack\//,
  StockTrim: /^apps\/stocktrim\//,
};

/** What is loaded with modules before they do anything, by its name, and the packages that nobody should wait for. */
export function loadedWith(...names: readonly string[]): {
  readonly modules: readonly string[];
  readonly heavy: readonly string[];
} {
  const byName = new Map(MODULES.map((module) => [module.name, module]));
  const loaded = new Set<string>();
  const heavy: string[] = [];
  const load = (name: string) => {
    const module = byName.get(name);
    if (loaded.has(name) || module === undefined) return;
    loaded.add(name);
    const statics = [
      ...module.text.matchAll(/^(?:import|export)\s(?!type\b)[^;]*?from "([^"]+)";/gm),
    ];
    for (const [, specifier = ""] of statics) {
      if (specifier.startsWith(".")) {
        load(relative(SRC, normalize(join(SRC, dirname(name), specifier))).replaceAll("\\", "/"));
      } else if (
        /^(?:zod|yaml|@std\/yaml|node:sqlite|hono|@modelcontextprotocol)/.test(specifier)
      ) {
        heavy.push(`${name} → ${specifier}`);
      }
    }
  };
  for (const name of names) {
    if (!byName.has(name)) throw new Error(`There is no module ${name}`);
    load(name);
  }
  return { modules: [...loaded], heavy };
}

/** What every start loads. */
export const START = ["doors/cli/start.ts", "base/system/real/mod.ts"] as const;
