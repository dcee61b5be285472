/**
 * A world in which nothing can be changed: previews, ask, plan and every reading command run on it.
 *
 * That a dry run changes nothing is thereby a property of the program and not of each command (CALL-3).
 */

import type { Files, Http, Processes, ProcessRequest, System } from "./mod.ts";

/** Thrown by every attempt to change something; it is a defect of the command that tried. */
export class ReadOnlyViolation extends Error {
  override readonly name = "ReadOnlyViolation";

  constructor(what: string) {
    super(`Cannot ${what}: this call runs on a read-only world`);
  }
}

function refuse(what: string): (...args: readonly unknown[]) => never {
  return (...args) => {
    throw new ReadOnlyViolation(`${what} "${String(args[0])}"`);
  };
}

/**
 * Wraps a world so that every write throws {@linkcode ReadOnlyViolation}.
 *
 * @param isReadOnlyProcess tells whether a program with these arguments only reads; all others are refused.
 */
export function readOnly(
  system: System,
  isReadOnlyProcess: (request: ProcessRequest) => boolean | Promise<boolean>,
): System {
  const files: Files = {
    ...system.files,
    write: refuse("write"),
    create: refuse("create"),
    append: refuse("append to"),
    copy: refuse("copy"),
    duplicate: refuse("copy"),
    makeDirectory: refuse("make directory"),
    rename: refuse("rename"),
    remove: refuse("remove"),
    removeTree: refuse("remove tree"),
    link: refuse("link"),
    symlink: refuse("link"),
    flushDirectory: refuse("flush"),
    lock: refuse("lock"),
  };
  const processes: Processes = {
    ...system.processes,
    async run(request) {
      if (!await isReadOnlyProcess(request)) {
        throw new ReadOnlyViolation(`run "${request.command} ${request.args.join(" ")}"`);
      }
      return await system.processes.run(request);
    },
    attach: refuse("start"),
    detach: refuse("start"),
    signal: refuse("signal"),
    endOrphans: refuse("end"),
    endMarked: refuse("end"),
  };
  const http: Http = {
    ...system.http,
    send(request) {
      // The declared access is not enough: these methods mean a change wherever they go.
      if (request.access !== "read" || request.method === "PUT" || request.method === "DELETE") {
        throw new ReadOnlyViolation(`send ${request.method} "${request.url}"`);
      }
      return system.http.send(request);
    },
  };
  // Trying a port leaves nothing behind, and a GET asks.
  const loopback = { ...system.loopback, listen: refuse("listen on") };
  return { ...system, files, processes, http, loopback };
}
