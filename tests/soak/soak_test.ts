// A few seconds of the soak; `deno task soak` is the whole of it.

import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { until } from "../support/answers.ts";
import type { Door } from "./doors.ts";
import { growth, rise } from "./growth.ts";
import { Opened } from "./opened.ts";
import { usage } from "./processes.ts";

Deno.test({
  name:
    "hosts, programs and people over all doors, with faults in between, leave all as it must be",
  ignore: Deno.build.os !== "linux", // it looks at processes
  async fn() {
    // A process of its own: where worlds are made is a variable, and holds for all tests of a process.
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "--quiet", "--allow-all", fromFileUrl(new URL("main.ts", import.meta.url))],
        ...["--seed", "7", "--shift", "1.5", "--shifts", "2", "--place", "fragile"],
      ],
      stdin: "null",
    }).output();
    const said = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
    assertEquals(code, 0, said);
    const of = (name: string) =>
      Number(new RegExp(`^ +(\\d+)  ${name}$`, "m").exec(said)?.[1] ?? "0");
    assertEquals(of("shifts with faults"), 1, said);
    assertEquals(of("shifts without faults"), 1, said);
    for (
      const door of [
        "command line",
        "terminal",
        "pages",
        "HTTP API",
        "MCP over stdio",
        "MCP over HTTP",
      ]
    ) {
      assert(of(`calls: ${door}`) > 0, `nobody called: ${door}\n${said}`);
    }
  },
});

Deno.test("what rises for as long as it is measured is found, and what only goes up and down is not", () => {
  const allowed = { share: 0.1, plus: 5 };
  const leaks = Array.from({ length: 30 }, (_, at) => 100 + at * 2);
  assertEquals(Math.round(rise(leaks)), 58);
  assert(growth(leaks, allowed) !== null);
  assertEquals(growth(leaks.map((value, at) => at < 10 ? value : 120 + at % 3 * 4), allowed), null);
  assertEquals(growth(leaks.slice(0, 6), allowed), null);
});

/** What opens a file and a connection to a port, and has a child that ends once nobody asks about its end any more. */
const HOLDS = String.raw`exec 7</etc/hosts 8<>/dev/tcp/127.0.0.1/$1
(until [ "$(cat /proc/$$/comm)" = sleep ]; do :; done) & echo $!
exec sleep 60`;

Deno.test({
  name: "what a process holds open is told by what it is, and one that has ended holds nothing",
  ignore: Deno.build.os !== "linux", // it looks at processes
  async fn() {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const child = new Deno.Command("bash", {
      args: ["-c", HOLDS, "bash", String(listener.addr.port)],
      stdin: "null",
      stdout: "piped",
    }).spawn();
    try {
      using _taken = await listener.accept();
      const reader = child.stdout.getReader();
      const { value } = await reader.read();
      const ended = Number(new TextDecoder().decode(value));
      const held = (await usage(child.pid))?.descriptors;
      assertEquals(held?.tcp, 1);
      assert((held?.pipe ?? 0) >= 1);
      assert((held?.file ?? 0) >= 2);
      await until("the child has ended", async () => await usage(ended) === null);
      // Nobody has asked how it ended, so it is still there.
      assertEquals((await Deno.stat(`/proc/${ended}`)).isDirectory, true);
      await reader.cancel();
    } finally {
      child.kill("SIGKILL");
      await child.status;
    }
  },
});

Deno.test("a door that could not be opened again is tried until it is, and keeps no other from it", async () => {
  const tries: string[] = [];
  const door = (name: string, broken: () => boolean): Door => ({
    name,
    pid: null,
    offers: () => true,
    call: () => Promise.resolve({ code: "ok", text: "" }),
    reopen() {
      tries.push(name);
      return broken() ? Promise.reject(new Error("full")) : Promise.resolve();
    },
    async [Symbol.asyncDispose]() {},
  });
  const opened = new Opened([door("pages", () => tries.length < 3), door("API", () => false)], 1);
  const again = (server: number) =>
    opened.again(server, () => Promise.resolve(false), () => {}).then(() => true, () => false);
  assertEquals([await again(1), await again(2), await again(2), await again(2)], [
    true,
    false,
    true,
    true,
  ]);
  assertEquals(tries, ["pages", "API", "pages"]);
});
