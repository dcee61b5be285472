import { assert, assertEquals } from "@std/assert";
import { systemCallFilter } from "../../../../src/machine/box/box.ts";

/** Runs the filter as the kernel does: on a call of a kind of program, with its second argument. */
function judge(filter: Uint8Array, call: { audit: number; nr: number; control?: number }): string {
  const view = new DataView(filter.buffer);
  let accumulator = 0;
  for (let at = 0; at < filter.length / 8; at++) {
    const code = view.getUint16(at * 8, true);
    const value = view.getUint32(at * 8 + 4, true);
    if (code === 0x20) {
      accumulator = new Map([[0, call.nr], [4, call.audit], [24, call.control ?? 0]]).get(value) ??
        0;
    } else if (code === 0x06) {
      return value === 0x7fff0000 ? "allowed" : value === 0x00050001 ? "refused" : "other";
    } else {
      const holds = code === 0x15 ? accumulator === value : (accumulator & value) !== 0;
      at += view.getUint8(at * 8 + (holds ? 2 : 3));
    }
  }
  return "fell out";
}

const KINDS = {
  x86_64: [[0xc000003e, 16, 250], [0x40000003, 54, 288]],
  aarch64: [[0xc00000b7, 29, 219], [0x40000028, 54, 311]],
} as const;

Deno.test("the filter refuses typing at a terminal and the kernel's keys, for every kind of program", () => {
  for (const [machine, kinds] of Object.entries(KINDS)) {
    const filter = systemCallFilter(machine);
    assert(filter !== null, machine);
    for (const [audit, ioctl, keyctl] of kinds) {
      const told = [
        { nr: ioctl, control: 0x5412 },
        { nr: ioctl, control: 0x541c },
        { nr: keyctl },
        { nr: keyctl - 2 },
        { nr: ioctl, control: 0x5401 },
        { nr: 1 },
      ].map((call) => judge(filter, { audit, ...call }));
      assertEquals(
        told,
        ["refused", "refused", "refused", "refused", "allowed", "allowed"],
        `${machine} ${audit}`,
      );
    }
  }
});

Deno.test("programs of another kind, and calls with short pointers, get no call through", () => {
  const filter = systemCallFilter("x86_64");
  assert(filter !== null);
  assertEquals(judge(filter, { audit: 0xc00000b7, nr: 1 }), "refused");
  assertEquals(judge(filter, { audit: 0xc000003e, nr: 0x40000000 + 514 }), "refused");
  assertEquals(systemCallFilter("sparc64"), null);
});
