/**
 * Calls that must be refused, at every door: without consent, with a token that is made up, spent or somebody else's,
 * with wrong names, arguments and addresses.
 *
 * @module
 */

import { choice } from "../chaos/choices.ts";
import type { Random } from "../chaos/random.ts";
import { pick } from "../support/answers.ts";
import { commandLine } from "./doors.ts";
import type { PagesDoor } from "./pages_door.ts";
import type { SdkDoor } from "./sdk_door.ts";
import { type Site, STILL } from "./site.ts";

/** Who tries. */
export interface Intruder {
  readonly site: Site;
  readonly stdio: SdkDoor;
  readonly http: SdkDoor;
  readonly pages: PagesDoor;
}

/** An attempt: at which door, what, and what it was answered; `expected` is what it must be answered. */
export interface Attempt {
  readonly door: string;
  readonly what: string;
  readonly expected: RegExp;
  readonly make: (intruder: Intruder, random: Random) => Promise<string>;
}

const MADE_UP = "f".repeat(64);
const ecosystem = STILL.name;
const EXECUTE = { ecosystem, mode: "execute" };

/** A tool that is called by one of both hosts; answers the code of its error, or how the protocol refused it. */
function tool(
  what: string,
  name: string,
  args: Readonly<Record<string, unknown>>,
  expected: RegExp,
): Attempt {
  return {
    door: "MCP",
    what,
    expected,
    async make({ stdio, http }, random) {
      const door = random.below(2) === 0 ? stdio : http;
      try {
        return String((await door.tool(name, args))["error"] ?? "ok");
      } catch (error) {
        const code = (error as { readonly code?: unknown }).code;
        if (typeof code !== "number") throw error;
        return `protocol ${code}`;
      }
    },
  };
}

function line(what: string, words: readonly string[], expected: RegExp): Attempt {
  return {
    door: "command line",
    what,
    expected,
    make: async ({ site }, random) =>
      (await commandLine(site).call(choice("", words), ecosystem, random)).code,
  };
}

function asks(
  what: string,
  path: string,
  asking: Parameters<Site["server"]["ask"]>[1],
  expected: RegExp,
): Attempt {
  return {
    door: "HTTP API",
    what,
    expected,
    make: async ({ site }) => `status ${(await site.server.ask(path, asking)).status}`,
  };
}

/** A token of one client, which another one spends. */
const STOLEN: Attempt = {
  door: "MCP",
  what: "a token of another client",
  expected: /^confirmation_invalid$/,
  async make({ stdio, http }) {
    const asked = await stdio.tool("amof_discard_ecosystem", EXECUTE);
    const token = pick(asked, "confirmation", "token");
    const spent = await http.tool("amof_confirm", {
      token,
      typed_value: ecosystem,
      mode: "execute",
    });
    return String(spent["error"] ?? "ok");
  },
};

const FORGED: Attempt = {
  door: "pages",
  what: "a form without the word of the session",
  expected: /^status 403$/,
  make: async ({ pages }) => `status ${await pages.forged()}`,
};

const POST = { method: "POST", headers: { "content-type": "application/json" } };
const SYNC = `/api/v1/ecosystems/${ecosystem}/actions/sync`;
const DISCARD = `/api/v1/ecosystems/${ecosystem}?mode=execute`;

/** All of them. */
export const ATTEMPTS: readonly Attempt[] = [
  tool("no consent", "amof_discard_ecosystem", EXECUTE, /^confirmation_required$/),
  tool(
    "another name typed",
    "amof_discard_ecosystem",
    { ...EXECUTE, confirm_name: "demo" },
    /^(?:type_to_confirm_failed|confirmation_required)$/,
  ),
  tool("a token that is made up", "amof_confirm", {
    token: MADE_UP,
    mode: "execute",
  }, /^confirmation_invalid$/),
  tool(
    "mode ask",
    "amof_ticket_start",
    { ecosystem, ticket_id: "T-1", mode: "ask" },
    /^mode_insufficient$/,
  ),
  tool("a tool that is none", "amof_push_force", EXECUTE, /^(?:protocol -32602|unknown_tool)$/),
  tool("a number as name", "amof_sync_ecosystem", { ecosystem: 7 }, /^invalid_arguments$/),
  tool(
    "a path as ticket",
    "amof_ticket_start",
    { ...EXECUTE, ticket_id: "../../up" },
    /^invalid_arguments$/,
  ),
  tool(
    "an ecosystem that is a path",
    "amof_sync_ecosystem",
    { ecosystem: "../still", mode: "execute" },
    /^(?:invalid_arguments|ecosystem_not_found)$/,
  ),
  tool("a program nobody approved", "amof_exec", {
    ...EXECUTE,
    command: ["touch", "broken"],
  }, /^(?:task_untrusted|tool_not_available)$/),
  STOLEN,
  line("no consent", ["discard"], /^confirmation_required$/),
  line("the wrong name", ["discard", "--confirm-name", "demo"], /^type_to_confirm_failed$/),
  line("a force that is none", ["push", "--force"], /^invalid_arguments$/),
  line("a token that is made up", ["confirm", MADE_UP], /^confirmation_invalid$/),
  line(
    "an approval without a person",
    ["approve", "00000000"],
    /^\w+_(?:required|found|arguments)$/,
  ),
  asks("no token", SYNC, { ...POST, token: null, body: "{}" }, /^status 401$/),
  asks("a token that is made up", SYNC, { ...POST, token: MADE_UP, body: "{}" }, /^status 401$/),
  asks(
    "a page of another site",
    SYNC,
    { ...POST, origin: "http://evil.example", body: "{}" },
    /^status 403$/,
  ),
  asks("another name of this machine", SYNC, {
    ...POST,
    host: "evil.example",
    body: "{}",
  }, /^status 4\d\d$/),
  asks("no JSON", SYNC, { ...POST, body: "{" }, /^status 4\d\d$/),
  asks("too much", SYNC, { ...POST, body: `"${"x".repeat(1_100_000)}"` }, /^status 413$/),
  asks("no consent", DISCARD, { method: "DELETE" }, /^status 403$/),
  asks("a way out of the routes", "/api/v1/ecosystems/..%2f..%2fetc", {}, /^status 4\d\d$/),
  FORGED,
];
