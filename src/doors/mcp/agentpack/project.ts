/**
 * Which project a tool works in: hosts often start servers in `/` or in the home directory
 * (PACK-11).
 */

import { fromFileUrl } from "@std/path";
import { Git } from "../../../git/mod.ts";
import type { System } from "../../../base/system/mod.ts";
import type { Exchange } from "../features.ts";

/** Where a call works, and what to know about it. */
interface ProjectChoice {
  /** Undefined for the working directory. */
  readonly project: string | undefined;
  readonly warnings: readonly string[];
}

/**
 * The project: the one the server was started with; else the working directory when it belongs to a
 * repository; else the client's first root; else the working directory. At most one git process.
 */
export async function chooseProject(
  system: System,
  given: string | undefined,
  exchange: Pick<Exchange, "roots" | "signal">,
): Promise<ProjectChoice> {
  if (given !== undefined) return { project: given, warnings: [] };
  const { cwd, home } = system.env;
  const isNoProject = cwd === "/" || cwd === home;
  const isNowhere = isNoProject ||
    await new Git(system, exchange.signal).at(cwd).topLevel() === null;
  if (!isNowhere) return { project: undefined, warnings: [] };
  const roots = await exchange.roots?.().catch(() => []) ?? [];
  for (const uri of roots) {
    const path = pathOf(uri);
    if (path === null || (await system.files.stat(path))?.kind !== "directory") continue;
    return {
      project: path,
      warnings: roots.length === 1
        ? []
        : [`The client works in ${roots.length} roots; the project is the first, "${path}"`],
    };
  }
  // The call leaves out project files itself, so no warning is needed.
  if (isNoProject) return { project: undefined, warnings: [] };
  return {
    project: undefined,
    warnings: [
      `The server runs in "${cwd}", which is not a project; start it with --project-root DIR or AGENTPACK_PROJECT_ROOT`,
    ],
  };
}

/** The path of a `file:` URI, or null. */
function pathOf(uri: string): string | null {
  try {
    return uri.startsWith("file:") ? fromFileUrl(uri) : null;
  } catch {
    return null;
  }
}
