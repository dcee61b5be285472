// Covers greet(): whoever begins in the usual way is answered before the engine is there, with what the engine answers,
// and once; whatever is not usual is the engine's alone.

import { assertEquals } from "@std/assert";
import { serveFeatures } from "../../../../src/doors/mcp/serving.ts";
import type { Features } from "../../../../src/doors/mcp/features.ts";
import { capabilitiesOf, greet } from "../../../../src/doors/mcp/greeting.ts";
import { SKILLS, TASKS, type Wire } from "../../../../src/doors/mcp/messages.ts";
import { memoryWorld } from "../../../support/memory.ts";

const FEATURES: Features = {
  info: { name: "probe", title: "Probe" },
  instructions: "Be kind.",
  tools: { list: () => Promise.resolve([]), call: () => Promise.resolve({ content: [] }) },
  skills: () => Promise.reject(new TypeError("Nobody asked")),
};

const SERVED = { session: FEATURES, modern: { ...FEATURES, instructions: "Be kind, each time." } };

const capabilities = capabilitiesOf(FEATURES);
const introduction = ({ info, instructions }: Features) => ({
  info,
  instructions,
  capabilities,
  extensions: [SKILLS],
});
const INTRODUCTIONS = {
  session: introduction(SERVED.session),
  modern: introduction(SERVED.modern),
};

const USUAL = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  },
};

/** A world whose standard input is some pieces of text, and what was printed there. */
function talking(pieces: readonly string[], sleep: () => Promise<void>) {
  const { system } = memoryWorld();
  const printed: string[] = [];
  const terminal = {
    ...system.terminal,
    async *input() {
      for (const piece of pieces) yield await Promise.resolve(new TextEncoder().encode(piece));
    },
    out: (text: string) => void printed.push(text),
    onInterrupt: () => () => {},
  };
  return { system: { ...system, terminal, clock: { ...system.clock, sleep } }, printed };
}

const never = () => new Promise<void>(() => {});

/** What is answered to pieces of text by the engine alone. */
async function byEngine(pieces: readonly string[]): Promise<readonly string[]> {
  const { system, printed } = talking(pieces, never);
  await serveFeatures(system, SERVED);
  return printed;
}

/** What is answered at once, and in the end, where somebody greets first. */
async function byGreeting(pieces: readonly string[], sleep = never) {
  const { system, printed } = talking(pieces, sleep);
  const wire: Wire = await greet(system, INTRODUCTIONS);
  const atOnce = [...printed];
  await serveFeatures({ ...system, clock: { ...system.clock, sleep: never } }, SERVED, wire);
  return { atOnce, printed };
}

const lines = (...messages: readonly unknown[]) =>
  messages.map((message) => `${JSON.stringify(message)}\n`).join("");

const withParams = (params: unknown) => ({ ...USUAL, params });
const PARAMS = USUAL.params;

/** What a client without a session begins with. */
const DISCOVER = {
  jsonrpc: "2.0",
  id: "server-discover-probe-1",
  method: "server/discover",
  params: {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
    },
  },
};

const GREETED: Readonly<Record<string, unknown>> = {
  "nothing but what must be there": USUAL,
  "an id that is a text": { ...USUAL, id: "one" },
  "the older revision": withParams({ ...PARAMS, protocolVersion: "2025-03-26" }),
  "a revision nobody knows": withParams({ ...PARAMS, protocolVersion: "1999-01-01" }),
  "roots and forms": withParams({
    ...PARAMS,
    capabilities: {
      roots: { listChanged: true },
      sampling: {},
      elicitation: { form: {}, url: {} },
    },
  }),
  "what is spoken": DISCOVER,
  "capabilities of extensions": withParams({
    ...PARAMS,
    capabilities: { experimental: { a: {} }, extensions: { "b/c": {} }, d: 1 },
  }),
  "skills, for whoever declares them": withParams({
    ...PARAMS,
    capabilities: { extensions: { [SKILLS]: {}, [TASKS]: {} } },
  }),
  "what is spoken, to whoever declares skills": {
    ...DISCOVER,
    params: {
      _meta: {
        ...DISCOVER.params._meta,
        "io.modelcontextprotocol/clientCapabilities": { extensions: { [SKILLS]: {} } },
      },
    },
  },
  "members that nobody knows": withParams({ ...PARAMS, more: 1 }),
  "a client with a title": withParams({
    ...PARAMS,
    clientInfo: { name: "a", title: "A", version: "2", websiteUrl: "https://a.example" },
  }),
};

for (const [what, message] of Object.entries(GREETED)) {
  Deno.test(`greet() answers at once: ${what}`, async () => {
    const { atOnce, printed } = await byGreeting([lines(message)]);
    assertEquals(atOnce.length, 1);
    assertEquals(atOnce, await byEngine([lines(message)]));
    assertEquals(printed, atOnce);
  });
}

const LEFT: Readonly<Record<string, readonly string[]>> = {
  "a line that is no JSON": ["{\n", lines(USUAL)],
  "another method": [lines({ jsonrpc: "2.0", id: 1, method: "ping" }, USUAL)],
  "a notification": [lines({ jsonrpc: "2.0", method: "initialize", params: PARAMS }, USUAL)],
  "an id that is none": [lines({ ...USUAL, id: 1.5 })],
  "a batch": [lines([USUAL])],
  "a revision that is no text": [lines(withParams({ ...PARAMS, protocolVersion: 3 }))],
  "no client": [lines(withParams({ protocolVersion: "2025-06-18", capabilities: {} }))],
  "a client without a version": [lines(withParams({ ...PARAMS, clientInfo: { name: "a" } }))],
  "capabilities that are wrong": [lines(withParams({ ...PARAMS, capabilities: { roots: 1 } }))],
  "what is spoken in a revision nobody knows": [
    lines({
      ...DISCOVER,
      params: {
        _meta: {
          ...DISCOVER.params._meta,
          "io.modelcontextprotocol/protocolVersion": "2099-01-01",
        },
      },
    }),
  ],
  "what is spoken, and nothing of the client": [lines({ ...DISCOVER, params: {} })],
  "a request with _meta": [lines(withParams({ ...PARAMS, _meta: {} }))],
  "a line in pieces": [lines(USUAL).slice(0, 20), lines(USUAL).slice(20)],
  "a blank line first": [`\n${lines(USUAL)}`],
  "no line at all": [],
};

for (const [what, pieces] of Object.entries(LEFT)) {
  Deno.test(`greet() leaves to the engine: ${what}`, async () => {
    const { atOnce, printed } = await byGreeting(pieces);
    assertEquals(atOnce, []);
    assertEquals(printed, await byEngine(pieces));
  });
}

Deno.test("greet() does not wait for a client that takes its time", async () => {
  const pieces = [lines(USUAL)];
  const { system, printed } = talking(pieces, () => Promise.resolve());
  const late = Promise.withResolvers<void>();
  const terminal = {
    ...system.terminal,
    async *input() {
      await late.promise;
      yield* system.terminal.input();
    },
  };
  const wire = await greet({ ...system, terminal }, INTRODUCTIONS);
  assertEquals(printed, []);
  late.resolve();
  await serveFeatures({ ...system, clock: { ...system.clock, sleep: never } }, SERVED, wire);
  assertEquals(printed, await byEngine(pieces));
});

Deno.test("a server that is ended when it has greeted ends as one that is served", async () => {
  const { system, printed } = talking([lines(USUAL)], never);
  let interrupt: (how: "asked") => void = () => {};
  const terminal = {
    ...system.terminal,
    async *input() {
      yield* system.terminal.input();
      await never();
    },
    onInterrupt(callback: (how: "typed" | "asked") => void) {
      interrupt = callback;
      return () => {};
    },
  };
  const wire = await greet({ ...system, terminal }, INTRODUCTIONS);
  interrupt("asked");
  await serveFeatures({ ...system, terminal }, SERVED, wire);
  assertEquals(printed.length, 1);
});

Deno.test("what stands behind the first line is served, and nobody is answered twice", async () => {
  const pieces = [
    lines(USUAL, { jsonrpc: "2.0", method: "notifications/initialized" }, {
      jsonrpc: "2.0",
      id: 2,
      method: "tools/list",
    }),
    lines({ jsonrpc: "2.0", id: 1, method: "ping" }),
  ];
  const { atOnce, printed } = await byGreeting(pieces);
  assertEquals(atOnce.length, 1);
  assertEquals(printed.toSorted(), (await byEngine(pieces)).toSorted());
});

/** Where a request may be other than usual. */
const PLACES = [
  "jsonrpc",
  "id",
  "method",
  "more",
  "params",
  "params.protocolVersion",
  "params.more",
  "params._meta",
  "params.capabilities",
  "params.clientInfo",
  ...["experimental", "roots", "sampling", "elicitation", "tasks", "extensions", "__proto__"].map(
    (name) => `params.capabilities.${name}`,
  ),
  "params.capabilities.roots.listChanged",
  "params.capabilities.elicitation.form",
  "params.capabilities.elicitation.url",
  ...["name", "version", "title", "icons", "websiteUrl", "description", "more"].map(
    (name) => `params.clientInfo.${name}`,
  ),
];
const VALUES = [null, true, 0, -1, 1.5, "", "text", [], ["a"], [{}], {}, { a: 1 }, { a: {} }];

/** A request with another value in one place. */
function changed(of: unknown, [name = "", ...rest]: readonly string[], value: unknown): unknown {
  const members = new Map(Object.entries(Object(of)));
  members.set(name, rest.length === 0 ? value : changed(members.get(name), rest, value));
  return Object.fromEntries(members);
}

for (const place of PLACES) {
  Deno.test(`whatever stands at ${place}, it is answered as the engine alone would`, async () => {
    for (const value of VALUES) {
      const pieces = [lines(changed(USUAL, place.split("."), value))];
      assertEquals((await byGreeting(pieces)).printed, await byEngine(pieces), pieces[0]);
    }
  });
}
