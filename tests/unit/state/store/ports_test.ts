// Covers TicketPorts on real SQLite: ranges are unique on the machine, and a directory keeps its own.

import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { FIRST_PORT, LAST_PORT, PORT_COUNT } from "../../../../src/state/store/machine.ts";
import { openStore } from "../../../../src/state/store/open.ts";

const of = (directory: string, ecosystem = "shop") => ({
  directory,
  root: "/space",
  ecosystem,
  ticket: "PROJ-1",
});

Deno.test("TicketPorts gives each directory the lowest free range, and the same one again", () => {
  const { ports, close } = openStore(":memory:");
  assertEquals(ports.take(of("/a")), FIRST_PORT);
  assertEquals(ports.take(of("/b", "other")), FIRST_PORT + PORT_COUNT);
  assertEquals(ports.take(of("/a")), FIRST_PORT);
  assertEquals(ports.free("/a"), true);
  assertEquals(ports.free("/a"), false);
  assertEquals(ports.of("/a"), null);
  assertEquals(ports.take(of("/c")), FIRST_PORT);
  assertEquals(ports.list().map(({ base, directory }) => [base, directory]), [
    [FIRST_PORT, "/c"],
    [FIRST_PORT + PORT_COUNT, "/b"],
  ]);
  close();
});

Deno.test("TicketPorts gives two programs at once different ranges, and says when none is left", () => {
  const directory = Deno.makeTempDirSync();
  const path = join(directory, "amof.db");
  const [one, two] = [openStore(path), openStore(path)];
  const ranges = (LAST_PORT - FIRST_PORT + 1) / PORT_COUNT;
  const given = new Set<number | null>();
  for (let n = 0; n < ranges; n++) given.add((n % 3 === 0 ? one : two).ports.take(of(`/t${n}`)));
  assertEquals(given.size, ranges);
  assertEquals(Math.max(...[...given].map(Number)) + PORT_COUNT - 1, LAST_PORT);
  assertEquals(two.ports.take(of("/late")), null);
  one.ports.free("/t7");
  assertEquals(two.ports.take(of("/late")), FIRST_PORT + 7 * PORT_COUNT);
  one.close();
  two.close();
  Deno.removeSync(directory, { recursive: true });
});
