/** The world this process runs in. Nothing else in the program names the `Deno` global. */

import process from "node:process";
import { basename, isAbsolute } from "@std/path";
import type { Environment, Http, System } from "../mod.ts";
import { realClock } from "./at_start.ts";
import { realFiles } from "./files.ts";
import { realHttp } from "./http.ts";
import { realLoopback } from "./loopback.ts";
import { realProcesses } from "./processes.ts";
import { realTerminal, type Streams } from "./terminal.ts";

function environment(): Environment {
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

/**
 * The real world; `http` is how much of the network it has, all of it when absent. `streams` are standard input and
 * output where something of them was used already.
 */
export function realSystem(http: Http = realHttp, streams?: Streams): System {
  return {
    files: realFiles,
    processes: realProcesses,
    clock: realClock,
    ids: {
      uuid: () => crypto.randomUUID(),
      hex: (digits) =>
        Array.from(crypto.getRandomValues(new Uint8Array(Math.ceil(digits / 2))))
          .map((byte) => byte.toString(16).padStart(2, "0")).join("").slice(0, digits),
    },
    env: environment(),
    terminal: realTerminal(streams),
    http,
    loopback: realLoopback,
  };
}
