/** What this process was told by whoever started it. */

import process from "node:process";
import { basename, isAbsolute } from "@std/path";
import type { Environment } from "../mod.ts";

/** The environment of this process. */
export function environment(): Environment {
  const platform = Deno.build.os === "windows"
    ? "windows"
    : Deno.build.os === "darwin"
    ? "darwin"
    : "linux";
  const get = (name: string) => Deno.env.get(name);
  return {
    get,
    names: () => Object.keys(Deno.env.toObject()),
    // Deno itself only tells where the file is that a link leads to.
    program: basename(process.argv0).replace(/\.exe$/i, ""),
    cwd: Deno.cwd(),
    home: [get("HOME"), get("USERPROFILE")].find((path) => isAbsolute(path ?? "")) ?? null,
    user: get("USER") ?? get("USERNAME") ?? get("LOGNAME") ?? "unknown",
    platform,
    cpus: Math.max(1, navigator.hardwareConcurrency),
    hostname() {
      try {
        return Deno.hostname();
      } catch {
        return null;
      }
    },
  };
}
