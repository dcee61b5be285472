/** The source of a module as it is written on the command line, and the id that follows from it. */

import { AgentpackError } from "../error.ts";
import type { ModuleType } from "../names.ts";
import type { ModuleSource } from "./config.ts";

function usage(message: string): AgentpackError {
  return new AgentpackError("E_USAGE", message);
}

/** Reads a source as it is given on the command line. Throws `E_USAGE`. */
export function parseSource(text: string): ModuleSource {
  if (text.startsWith("local:") && text.length > "local:".length) {
    return { kind: "local", path: text.slice("local:".length) };
  }
  if (!text.startsWith("git:") || text.length === "git:".length) {
    throw usage(`Unknown source "${text}": write local:<path> or git:<url>#ref=…&subdir=…`);
  }
  const rest = text.slice("git:".length);
  const hash = rest.indexOf("#");
  const url = hash < 0 ? rest : rest.slice(0, hash);
  const options = new Map<string, string>();
  for (const part of hash < 0 ? [] : rest.slice(hash + 1).split("&")) {
    const [name = "", ...value] = part.split("=");
    if (!["ref", "subdir", "shallow"].includes(name)) {
      throw usage(`Unknown option "${name}" of a git source: ref, subdir and shallow are known`);
    }
    options.set(name, value.join("="));
  }
  const shallow = options.get("shallow") ?? "true";
  if (shallow !== "true" && shallow !== "false") {
    throw usage(`The option shallow of a git source is true or false, not "${shallow}"`);
  }
  return {
    kind: "git",
    url,
    ref: options.get("ref") ?? "main",
    subdir: options.get("subdir") ?? "",
    shallow: shallow === "true",
  };
}

function lastPart(path: string): string {
  return path.replace(/[\\/]+$/, "").split(/[\\/:]/).pop() ?? "";
}

/** The id of a module that is given none: its type and the last part of where it comes from. */
export function derivedId(type: ModuleType, source: ModuleSource): string {
  if (source.kind === "local") {
    const name = lastPart(source.path);
    const dot = name.lastIndexOf(".");
    return `${type}:${dot > 0 ? name.slice(0, dot) : name}`;
  }
  const subdir = lastPart(source.subdir);
  return `${type}:${subdir === "" ? lastPart(source.url).replace(/\.git$/, "") : subdir}`;
}
