// Laws of the agentpack domain.

// @ts-types="@types/std/assert.d.ts"
import { assert, assertEquals } from "@std/assert";
// @ts-types="@types/std/path.d.ts"
import { join } from "@std/path";
import fc from "fast-check";
import { compareBytes, encodeText } from "../../src/agentpack/bytes.ts";
import { matchLines, splitLines } from "../../src/agentpack/diff/lines.ts";
import { mergeTexts } from "../../src/agentpack/diff/merge.ts";
import { applyPatch, parsePatch } from "../../src/agentpack/diff/patch.ts";
import { unifiedDiff } from "../../src/agentpack/diff/unified.ts";
import { normalizeMachineId } from "../../src/agentpack/identity/machine.ts";
import { aggregate, parseSections } from "../../src/agentpack/module/markers.ts";

/** Short texts out of few different lines, so that lines repeat; the last may have no newline. */
const text = fc.tuple(
  fc.array(fc.constantFrom("a\n", "b\n", "c\n", "\n", " \n"), { maxLength: 14 }),
  fc.constantFrom("", "", "", "x"),
).map(([lines, end]) => lines.join("") + end);

const labels = { ours: "ours", theirs: "theirs" };

Deno.test("compareBytes() agrees with comparing UTF-8 bytes", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (a, b) => {
    const left = encodeText(a);
    const right = encodeText(b);
    const at = left.findIndex((byte, index) => byte !== right[index]);
    const expected = at < 0 ? left.length - right.length : (left[at] ?? 0) - (right[at] ?? -1);
    assertEquals(Math.sign(compareBytes(a, b)), Math.sign(expected));
  }));
});

Deno.test("normalizeMachineId() changes nothing the second time", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (name) => {
    const once = normalizeMachineId(name);
    assertEquals(normalizeMachineId(once), once);
  }));
});

Deno.test("matchLines() pairs equal lines only, in order on both sides", () => {
  fc.assert(fc.property(text, text, (a, b) => {
    const left = splitLines(a);
    const right = splitLines(b);
    let [fromA, fromB] = [0, 0];
    for (const match of matchLines(left, right)) {
      assert(match.a >= fromA && match.b >= fromB && match.length > 0);
      for (let index = 0; index < match.length; index++) {
        assertEquals(left[match.a + index], right[match.b + index]);
      }
      [fromA, fromB] = [match.a + match.length, match.b + match.length];
    }
    assert(fromA <= left.length && fromB <= right.length);
  }));
});

Deno.test("applyPatch() of unifiedDiff() leads from the one text to the other", () => {
  fc.assert(fc.property(text, text, (before, after) => {
    fc.pre(before !== after);
    const patch = parsePatch(unifiedDiff(before, after, "a/f", "b/f"), "f");
    assertEquals("problem" in patch ? patch : applyPatch(before, patch), after);
  }));
});

Deno.test("applyPatch() decides as git apply does", async () => {
  const directory = await Deno.makeTempDir();
  try {
    const file = join(directory, "f");
    const byGit = async (image: string, patch: string): Promise<string | null> => {
      await Deno.writeTextFile(file, image);
      const child = new Deno.Command("git", {
        args: ["apply", "-"],
        cwd: directory,
        env: { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
        stdin: "piped",
        stdout: "null",
        stderr: "null",
      }).spawn();
      const writer = child.stdin.getWriter();
      await writer.write(encodeText(patch)).catch(() => {});
      await writer.close().catch(() => {});
      return (await child.status).success ? await Deno.readTextFile(file) : null;
    };
    await fc.assert(
      fc.asyncProperty(text, text, text, fc.boolean(), async (before, after, other, same) => {
        const patchText = unifiedDiff(before, after, "a/f", "b/f");
        // A last context line without newline is the one place where git joins lines (see diff/patch.ts).
        fc.pre(patchText !== "" && !/\n [^\n]*\n\\ No newline/.test(patchText));
        const image = same ? before : other;
        const patch = parsePatch(patchText, "f");
        const mine = "problem" in patch ? patch : applyPatch(image, patch);
        assertEquals(typeof mine === "string" ? mine : null, await byGit(image, patchText));
      }),
      { numRuns: 150 },
    );
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("mergeTexts() takes the only change when one side has none", () => {
  fc.assert(fc.property(text, text, (base, changed) => {
    assertEquals(mergeTexts(base, changed, base, labels), { text: changed, conflicts: 0 });
    assertEquals(mergeTexts(base, base, changed, labels), { text: changed, conflicts: 0 });
    assertEquals(mergeTexts(base, changed, changed, labels), { text: changed, conflicts: 0 });
  }));
});

Deno.test("parseSections() finds what aggregate() put together", () => {
  const body = fc.array(fc.constantFrom("# Title", "text", "", "---", "\r"), { maxLength: 6 })
    .map((lines) => lines.map((line) => `${line}\n`).join("") || "\n");
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.stringMatching(/^[a-z:_-]{1,8}$/), { minLength: 2 }),
      fc.array(body, { minLength: 12, maxLength: 12 }),
      (ids, bodies) => {
        const sections = ids.map((moduleId, index) => ({
          moduleId,
          text: bodies[index % 12] ?? "\n",
        }));
        const whole = new TextDecoder().decode(
          aggregate(sections.map(({ moduleId, text }) => ({ moduleId, bytes: encodeText(text) }))),
        );
        assertEquals(
          [...parseSections(whole) ?? []],
          sections.map(({ moduleId, text }) => [moduleId, text]),
        );
      },
    ),
  );
});
