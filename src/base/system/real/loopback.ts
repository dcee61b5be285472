/** HTTP between programs of this machine. */

import type { Listener, Loopback, PortHolder } from "../mod.ts";
import { run } from "./run.ts";

/** No answer that is asked for is longer. */
const MAX_ANSWER_BYTES = 64 * 1024;
/** How long looking for the holder of a port may take. */
const LOOKING_MS = 5_000;

async function printed(command: string, args: readonly string[]): Promise<string> {
  return (await run({ command, args, timeoutMs: LOOKING_MS })).stdout;
}

/** The inodes of the sockets that listen on a port, by what the kernel lists. */
function listening(tables: string, port: number): string[] {
  const ending = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return tables.split("\n").flatMap((line) => {
    const [, local = "", , state, , , , , , inode] = line.trim().split(/\s+/);
    return local.endsWith(ending) && state === "0A" && inode !== undefined ? [inode] : [];
  });
}

/** The process that has a socket which listens on a port. */
async function pidOn(port: number): Promise<number | null> {
  if (Deno.build.os !== "linux") {
    const found = await printed("lsof", ["-nP", `-iTCP:${port}`, "-sTCP:LISTEN", "-t"]);
    return Number.parseInt(found, 10) || null;
  }
  // Reading /proc directly would need the permission for everything, and lsof is not on every machine.
  const [inode] = listening(await printed("cat", ["/proc/net/tcp", "/proc/net/tcp6"]), port);
  if (inode === undefined) return null;
  const found = await printed("find", [
    "/proc",
    "-maxdepth",
    "3",
    "-path",
    "/proc/[0-9]*/fd/*",
    "-lname",
    `socket:\\[${inode}\\]`,
  ]);
  return Number.parseInt(found.split("/")[2] ?? "", 10) || null;
}

async function holder(port: number): Promise<PortHolder | null> {
  if (Deno.build.os === "windows") return null;
  const pid = await pidOn(port);
  if (pid === null) return null;
  const command = (await printed("ps", ["-o", "comm=", "-p", String(pid)])).trim();
  return { pid, command: command === "" ? null : command.replace(/^.*\//, "") };
}

function listen(
  hostname: string,
  port: number,
  answer: (request: Request) => Promise<Response>,
): Promise<Listener | null> {
  const end = new AbortController();
  try {
    const server = Deno.serve({ hostname, port, signal: end.signal, onListen() {} }, answer);
    return Promise.resolve({
      port: server.addr.port,
      async close(graceMs) {
        const timer = setTimeout(() => end.abort(), graceMs);
        await server.shutdown();
        clearTimeout(timer);
      },
    });
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse) return Promise.resolve(null);
    throw error;
  }
}

/** The loopback network of this machine. */
export const realLoopback: Loopback = {
  isAllowed: () =>
    Deno.permissions.querySync({ name: "net", host: "127.0.0.1" }).state === "granted",
  listen,
  holder,
  stateOf(hostname, port) {
    try {
      Deno.listen({ hostname, port }).close();
      return "free";
    } catch (error) {
      return error instanceof Deno.errors.AddrInUse ? "taken" : "refused";
    }
  },
  async get(host, port, path, timeoutMs) {
    // Unlike fetch it goes through no proxy, whatever the environment names.
    const { get } = await import("node:http");
    return await new Promise((resolve) => {
      const request = get(
        { host, port, path, agent: false, signal: AbortSignal.timeout(timeoutMs) },
        (response) => {
          let body = "";
          response.setEncoding("utf8");
          response.on("data", (part: string) => {
            body += part;
            if (body.length > MAX_ANSWER_BYTES) request.destroy();
          });
          response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
          response.on("error", () => resolve(null));
          response.on("close", () => resolve(null));
        },
      );
      request.on("error", () => resolve(null));
    });
  },
};
