// Covers how the program limits itself to one server: what it sends goes there or nowhere, and it keeps no network
// besides. With AMOF_BIN the same is tried with a binary that is compiled as the program's own is.

import { assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { mayNeedNetwork } from "../../src/doors/cli/start.ts";
import { COMMANDS } from "../../src/pipeline/registry.ts";
import { PROGRAMS } from "../../src/doors/cli/programs/mod.ts";
import { newDirectory } from "../support/place.ts";

const PROBE = fromFileUrl(new URL("../support/network_probe.ts", import.meta.url));
const CONFIG = fromFileUrl(new URL("../../deno.json", import.meta.url));

/** The words of the compile task that give permissions. */
async function compileFlags(): Promise<string[]> {
  const { tasks } = JSON.parse(await Deno.readTextFile(CONFIG)) as {
    tasks: { compile: { command: string } };
  };
  const line = tasks.compile.command.split("deno compile ")[1] ?? "";
  return line.split(" ").filter((word) => /^--(?:allow|deny|unstable|no)-/.test(word));
}

/** The argument vector that starts the probe, compiled where the program under test is. */
async function probe(): Promise<string[]> {
  if (Deno.env.get("AMOF_BIN") === undefined) {
    return [Deno.execPath(), "run", "--quiet", "--allow-all", "--config", CONFIG, PROBE];
  }
  const path = join(newDirectory(), "probe");
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["compile", "--quiet", ...await compileFlags(), "--output", path, PROBE],
    stderr: "piped",
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return [path];
}

/** A server that counts who comes, and never answers `/never`. */
function serve(): { url: string; seen: string[]; close: () => Promise<void> } {
  const seen: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    seen.push(new URL(request.url).pathname);
    return request.url.endsWith("/never")
      ? new Promise<Response>((resolve) =>
        request.signal.addEventListener("abort", () => resolve(new Response("")))
      )
      : new Response("hello");
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    seen,
    close: () => server.shutdown(),
  };
}

Deno.test("the program reaches the configured server, and no other", async () => {
  const [own, other] = [serve(), serve()];
  try {
    const [command = "", ...args] = await probe();
    const ask = async (...more: readonly string[]) => {
      const { stdout, stderr } = await new Deno.Command(command, {
        args: [...args, ...more],
        // What is not encrypted must not go to a proxy either.
        env: { HTTP_PROXY: other.url, http_proxy: other.url, NO_PROXY: "a.example", no_proxy: "" },
      }).output();
      const text = new TextDecoder().decode(stdout);
      assertMatch(text, /^\[/, new TextDecoder().decode(stderr));
      return JSON.parse(text) as unknown;
    };
    const port = new URL(own.url).port;
    assertEquals(
      await ask(own.url, own.url, other.url, `http://127.0.0.2:${port}/`, "https://example.com/"),
      [
        ["200 hello", "NotCapable"],
        ["not_allowed", "NotCapable"],
        ["not_allowed", "NotCapable"],
        ["not_allowed", "NotCapable"],
        ["cancelled", ""],
      ],
    );
    assertEquals([own.seen, other.seen], [["/", "/never"], []]);
    own.seen.length = 0;
    assertEquals(await ask("none", own.url), [["not_allowed", "NotCapable"], ["not_allowed", ""]]);
    assertEquals(own.seen, []);
  } finally {
    await own.close();
    await other.close();
  }
});

Deno.test("only what may have to do with StockTrim keeps the network, and only with an account", () => {
  const account: Readonly<Record<string, string>> = {
    STOCKTRIM_API_AUTH_ID: "id",
    STOCKTRIM_API_AUTH_SIGNATURE: "signature",
  };
  const keeping = (env: Readonly<Record<string, string>>) =>
    [...COMMANDS, ...PROGRAMS].map(({ path }) => path)
      .filter((path) => mayNeedNetwork(path, { get: (name) => env[name] }));
  assertEquals(keeping({}).map((path) => path.join(" ")).sort(), [
    "server open",
    "server restart",
    "server start",
    "server status",
    "server stop",
    "server-probe",
    "server-worker",
  ]);
  assertEquals(
    keeping(account).filter(([first]) => first !== "stocktrim").map((path) => path.join(" "))
      .sort(),
    [
      "approve",
      "complete",
      "confirm",
      "confirm --cancel",
      "mcp config",
      "mcp install",
      "mcp serve",
      "mcp start",
      "mcp tools",
      "run-worker",
      "serve",
      "server open",
      "server restart",
      "server start",
      "server status",
      "server stop",
      "server-probe",
      "server-worker",
    ],
  );
});
