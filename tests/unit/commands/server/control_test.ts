import { assertEquals, assertRejects } from "@std/assert";
import { AmofError } from "../../../../src/base/error.ts";
import { requirePort } from "../../../../src/commands/server/control.ts";
import type { PortHolder, System } from "../../../../src/base/system/mod.ts";
import { memoryWorld } from "../../../support/memory.ts";

const ADDRESS = { host: "127.0.0.1", port: 8010 };

/** A system whose port is taken as often as it is said, and who has it; counts the looks. */
function taken(times: number, holder: PortHolder | null) {
  const { system } = memoryWorld();
  let looks = 0;
  const loopback: System["loopback"] = {
    ...system.loopback,
    stateOf: () => looks++ < times ? "taken" : "free",
    holder: () => Promise.resolve(holder),
  };
  return { system: { ...system, loopback }, looks: () => looks };
}

Deno.test("a port that nobody has any more is waited for: a killed process gives it up in the end", async () => {
  const soon = taken(3, null);
  await requirePort(soon.system, ADDRESS);
  assertEquals(soon.looks(), 4);
  const never = taken(Infinity, null);
  const error = await assertRejects(() => requirePort(never.system, ADDRESS), AmofError);
  assertEquals([error.code, error.details["holder_pid"]], ["port_taken", null]);
});

Deno.test("a port that somebody has is refused at once", async () => {
  const held = taken(Infinity, { pid: 4711, command: "nginx" });
  const error = await assertRejects(() => requirePort(held.system, ADDRESS), AmofError);
  assertEquals(error.message, "Cannot listen on 127.0.0.1 port 8010: nginx, process 4711 has it");
  assertEquals(held.looks(), 1);
});
