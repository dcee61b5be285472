// Covers isSame(), and that nothing else compares what decides whether something may happen.

import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { isSame } from "../../../../src/base/policy/consent.ts";

Deno.test("isSame() tells equal texts from all others", () => {
  for (const text of ["", "a", "ä€😀", "0".repeat(64)]) {
    assert(isSame(text, text));
    assertEquals([isSame(text, `${text}x`), isSame(`x${text}`, text)], [false, false]);
  }
  assert(!isSame("abc", "abd"));
  assert(!isSame("Abc", "abc"));
});

/** A fingerprint, hash or binding next to a plain comparison. What is `null` or absent tells nothing. */
const PLAIN =
  /\.(?:fingerprint|binding|hash|digest|planHash|typedValue)(?:\.\w+\(\))? [!=]== (?!null|undefined|"")|[!=]== [\w.]+\.(?:fingerprint|binding|hash|digest|planHash|typedValue)\b/;

/** The contents of assets are compared to find out whether they changed, not whether somebody may do something. */
const CONTENTS = "agentpack/";

async function* sources(directory: string, below = ""): AsyncGenerator<string> {
  for await (const entry of Deno.readDir(join(directory, below))) {
    const name = `${below}${entry.name}`;
    if (entry.isDirectory) yield* sources(directory, `${name}/`);
    else if (/\.tsx?$/.test(name) && !name.startsWith(CONTENTS)) yield name;
  }
}

Deno.test("fingerprints, hashes and bindings are compared with isSame()", async () => {
  const root = fromFileUrl(new URL("../../../../src/", import.meta.url));
  const found: string[] = [];
  for await (const name of sources(root)) {
    const lines = (await Deno.readTextFile(join(root, name))).split("\n");
    found.push(
      ...lines.filter((line) => PLAIN.test(line)).map((line) => `${name}: ${line.trim()}`),
    );
  }
  assertEquals(found, []);
});
