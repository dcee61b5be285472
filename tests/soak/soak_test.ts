// A few seconds of the soak; `deno task soak` is the whole of it.

import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { growth, rise } from "./growth.ts";

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
