// Covers withPager(): what goes through a pager, what stays below it, and what becomes of one that fails.

import { assertEquals } from "@std/assert";
import { rowsOf, withPager } from "../../../../src/doors/cli/render.ts";
import { NO_SETTINGS } from "../../../../src/state/settings/mod.ts";
import { memoryWorld } from "../../../support/memory.ts";

/** What the pager was given, and what was written besides. */
async function shown(
  parts: readonly string[],
  { code = 0, terminal = true, pager = null }: {
    readonly code?: number | null;
    readonly terminal?: boolean;
    readonly pager?: string | null;
  } = {},
) {
  const { system, output } = memoryWorld({ env: { TERM: "xterm" }, terminal });
  const calls: { argv: readonly string[]; input: string | undefined; less: string | undefined }[] =
    [];
  const processes = {
    ...system.processes,
    attach: (
      argv: readonly string[],
      options: { input?: string; env?: Record<string, string> },
    ) => {
      calls.push({ argv, input: options.input, less: options.env?.["LESS"] });
      return Promise.resolve(code);
    },
  };
  await withPager({ ...system, processes }, { ...NO_SETTINGS, pager }, (to) => {
    for (const part of parts) to.out(part);
    to.err("next\n");
  });
  return { calls, ...output };
}

const LONG = "line\n".repeat(40);

Deno.test("what is longer than the terminal goes through the pager; sum and next steps stay below", async () => {
  const { calls, out, err } = await shown([LONG, "\n40 lines.\n"]);
  assertEquals(calls, [{ argv: ["less", "-FRX"], input: LONG, less: "FRX" }]);
  assertEquals([out, err], ["\n40 lines.\n", "next\n"]);
  assertEquals((await shown([LONG])).out, "");
  assertEquals((await shown([LONG], { pager: "most -s" })).calls[0]?.argv, ["most", "-s"]);
});

Deno.test("what fits, a pipe, and no pager are as they are", async () => {
  const short = "line\n".repeat(10);
  assertEquals(await shown([short, "10\n"]), { calls: [], out: `${short}10\n`, err: "next\n" });
  assertEquals((await shown([LONG, "40\n"], { terminal: false })).calls, []);
  assertEquals((await shown([LONG, "40\n"], { pager: "off" })).calls, []);
});

Deno.test("a pager that is missing loses nothing, one that ends early is no error", async () => {
  for (const code of [null, 126, 127]) {
    const { out } = await shown([LONG, "40\n"], { code });
    assertEquals(out, `${LONG}40\n`, String(code));
  }
  assertEquals((await shown([LONG, "40\n"], { code: 2 })).out, "40\n");
});

Deno.test("rows are counted as the terminal breaks them, colours apart", () => {
  assertEquals(rowsOf("a\nb\n", 80), 2);
  assertEquals(rowsOf(`${"x".repeat(81)}\n\n`, 80), 3);
  assertEquals(rowsOf(`\u001b[31m${"x".repeat(80)}\u001b[39m`, 80), 1);
  assertEquals(rowsOf("日本日本", 4), 2);
});

Deno.test("an interrupt that ended the pager, told only afterwards, does not end this program", async () => {
  const { system } = memoryWorld({ env: { TERM: "xterm" }, terminal: true });
  let listening = 0;
  const onInterrupt = () => {
    listening++;
    return () => void listening--;
  };
  const terminal: typeof system.terminal = Object.create(system.terminal, {
    onInterrupt: { value: onInterrupt },
  });
  const processes = { ...system.processes, attach: () => Promise.resolve(0) };
  await withPager(
    { ...system, terminal, processes },
    { ...NO_SETTINGS, pager: null },
    (to) => to.out(LONG),
  );
  assertEquals(listening, 1);
});
