// Right before a run acts, in the calling process or in a worker, what was agreed to must still be what would happen.

import { assertEquals, assertRejects } from "@std/assert";
import { type App, makeApp } from "../../../src/pipeline/app.ts";
import type { Call, MutationCall } from "../../../src/pipeline/preview.ts";
import { previewed, runInline } from "../../../src/pipeline/execute.ts";
import { loadCommand } from "../../../src/pipeline/registry.ts";
import { Session } from "../../../src/pipeline/session.ts";
import { runWorker } from "../../../src/pipeline/worker.ts";
import type { Mutation } from "../../../src/contract/mod.ts";
import { AmofError } from "../../../src/base/error.ts";
import { runId } from "../../../src/base/ids.ts";
import { layoutOf } from "../../../src/state/store/mod.ts";
import { openStore } from "../../../src/state/store/open.ts";
import { memoryWorld } from "../../support/memory.ts";
import { rememberingReporter } from "../_support.ts";

const MANIFEST = "/space/ecosystems/demo/ecosystem.yaml";

/** A call that writes a note, which has reached the point where it was agreed to. */
async function agreed() {
  const { system, files } = memoryWorld({
    files: { [MANIFEST]: "name: demo\nrepos: []\n" },
    env: { HOME: "/home/me" },
  });
  const store = openStore(":memory:");
  const app: App = {
    ...makeApp(system, layoutOf(system.env), { root: "/space", jobs: null }),
    store: () => Promise.resolve(store),
  };
  const command = await loadCommand("amof_create_journal") as Mutation;
  const input = { title: "A note", body: "", tags: [] };
  const call: Call = {
    ...{ command, args: input, door: "cli", client: "test", confirmBy: "token" },
    session: new Session({ id: "s", owner: "test", mode: "execute", maxMode: "execute" }),
    signal: new AbortController().signal,
    report: rememberingReporter(),
    approver: { unable: true, ask: () => Promise.reject(new Error("nobody is asked")) },
    offers: () => true,
  };
  const of: MutationCall = {
    ...{ app, call, command, input },
    progress: {
      target: { root: "/space", ecosystem: "demo", ticket: null },
      mode: "execute",
      fingerprint: null,
      decision: "accepted",
      way: "token",
      runId: null,
    },
  };
  const notes = () => [...files.keys()].filter((path) => path.includes("/journal/")).length;
  return { of, store, notes, gateCall: await previewed(of) };
}

for (const isSame of [true, false]) {
  const what = isSame ? "does what was agreed to" : "does nothing where things have changed since";

  Deno.test(`a run of the calling process ${what}`, async () => {
    const { of, store, notes, gateCall } = await agreed();
    const run = () =>
      runInline(of, {
        gateCall: isSame ? gateCall : { ...gateCall, fingerprint: "another" },
        consent: { way: "token", waited: false },
      });
    if (isSame) await run();
    else assertEquals((await assertRejects(run, AmofError)).code, "confirmation_stale");
    assertEquals(notes(), isSame ? 1 : 0);
    store.close();
  });

  Deno.test(`a worker ${what}`, async () => {
    const { of: { app, input, call }, store, notes, gateCall } = await agreed();
    const id = runId("0b7f3c52-5a0e-4c7e-9f5e-3f0c6f4e8d11");
    store.runs.add({
      ...{ runId: id, root: "/space", ecosystem: "demo", ticket: null, action: "journal" },
      ...{ tool: call.command.name, args: input, locks: [], createdAt: 1, sessionId: null },
      ...{ origin: "cli", requestedBy: "test", confirmation: null, inline: false },
      fingerprint: isSame ? gateCall.fingerprint : "another",
      preview: gateCall.preview.facts,
      starter: await app.system.processes.me(),
    });
    await runWorker(app, id);
    const run = store.runs.get(id);
    assertEquals([run?.status, run?.error?.["error"]], [
      isSame ? "success" : "failed",
      isSame ? undefined : "confirmation_stale",
    ]);
    assertEquals(notes(), isSame ? 1 : 0);
    store.close();
  });
}

Deno.test("a run that was agreed to ends well where nothing of it is left to do", async () => {
  const { of, store, notes, gateCall } = await agreed();
  const { command } = of;
  const idle: Mutation = {
    ...command,
    async preview(ctx, input) {
      const data = { path: "journal/there.md" };
      return { ...await command.preview(ctx, input), settled: { data } };
    },
  };
  const run = { gateCall, consent: { way: "token", waited: false } } as const;
  const another = { ...run, gateCall: { ...gateCall, fingerprint: "another" } };
  const { failure, data } = await runInline({ ...of, command: idle }, another);
  assertEquals([failure, data?.["path"]], [undefined, "journal/there.md"]);
  assertEquals(notes(), 0);
  store.close();
});
