// Laws of the agentpack domain.

import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import fc, { anyCharacter } from "fast-check";
import { compareBytes, encodeText } from "../../src/apps/agentpack/content.ts";
import { matchLines, splitLines, unifiedDiff } from "../../src/base/text/diff/unified.ts";
import { applyPatch, mergeTexts, parsePatch } from "../../src/apps/agentpack/diff.ts";
import { normalizeMachineId } from "../../src/apps/agentpack/identity.ts";
import { aggregate, parseSections } from "../../src/apps/agentpack/module/syntax.ts";
import { plan, rollback, status } from "../support/pack_calls.ts";
import { deploy, setUp } from "../support/pack_fixture.ts";
import { newDirectory } from "../support/place.ts";
import { PackWorld } from "../support/pack_world.ts";
import { cases } from "../support/sample.ts";

/** Short texts out of few different lines, so that lines repeat; the last may have no newline. */
const text = fc.tuple(
  fc.array(fc.constantFrom("a\n", "b\n", "c\n", "\n", " \n"), { maxLength: 14 }),
  fc.constantFrom("", "", "", "x"),
).map(([lines, end]) => lines.join("") + end);

const labels = { ours: "ours", theirs: "theirs" };

Deno.test("compareBytes() agrees with comparing UTF-8 bytes", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), fc.string({ unit: anyCharacter }), (a, b) => {
      const left = encodeText(a);
      const right = encodeText(b);
      const at = left.findIndex((byte, index) => byte !== right[index]);
      const expected = at < 0 ? left.length - right.length : (left[at] ?? 0) - (right[at] ?? -1);
      assertEquals(Math.sign(compareBytes(a, b)), Math.sign(expected));
    }),
  );
});

Deno.test("normalizeMachineId() changes nothing the second time", () => {
  fc.assert(fc.property(fc.string({ unit: anyCharacter }), (name) => {
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
  const drawn = fc.record({ before: text, after: text, other: text, same: fc.boolean() });
  const cases = fc.sample(drawn, 400).flatMap(({ before, after, other, same }) => {
    const file = crypto.randomUUID();
    const patch = unifiedDiff(before, after, `a/${file}`, `b/${file}`);
    // A last context line without newline is the one place where git joins lines (see diff/patch.ts).
    const joins = /\n [^\n]*\n\\ No newline/.test(patch);
    return patch === "" || joins ? [] : [{ file, patch, image: same ? before : other }];
  });
  const directory = newDirectory();
  const at = (file: string) => join(directory, file);
  for (const { file, image } of cases) await Deno.writeTextFile(at(file), image);
  await Deno.writeTextFile(at("patch"), cases.map(({ patch }) => patch).join(""));
  // One process for all: what does not apply is told by a file of its rejected parts.
  await new Deno.Command("git", {
    args: ["apply", "--reject", "patch"],
    cwd: directory,
    env: { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
    stderr: "null",
  }).output();
  const byGit = async (file: string) => {
    const rejected = await Deno.stat(at(`${file}.rej`)).then(() => true, () => false);
    // A file that becomes empty is gone where the patch says so.
    return rejected ? null : await Deno.readTextFile(at(file));
  };
  const decided = { applied: 0, refused: 0 };
  for (const { file, patch, image } of cases) {
    const parsed = parsePatch(patch, file);
    const mine = "problem" in parsed ? parsed : applyPatch(image, parsed);
    const expected = await byGit(file);
    assertEquals(
      typeof mine === "string" ? mine : null,
      expected,
      JSON.stringify({ image, patch }),
    );
    decided[expected === null ? "refused" : "applied"]++;
  }
  assert(Math.min(decided.applied, decided.refused) > 50, JSON.stringify(decided));
  await Deno.remove(directory, { recursive: true });
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

/** Something that happens to modules or to deployed files. */
type Event =
  | { readonly kind: "write"; readonly file: string; readonly text: string; readonly mode: number }
  | { readonly kind: "drop"; readonly file: string }
  | { readonly kind: "foreign"; readonly file: string; readonly text: string }
  | { readonly kind: "chmod"; readonly file: string; readonly mode: number }
  | { readonly kind: "lose"; readonly file: string };

const name = fc.constantFrom("a.md", "b.md", "dir/c.md", "dir/deep/d.md", "dir/e.sh");
const content = fc.constantFrom("one\n", "two\n", "", "no newline");
const event: fc.Arbitrary<Event> = fc.oneof(
  fc.record({
    kind: fc.constant("write" as const),
    file: name,
    text: content,
    mode: fc.constantFrom(0o644, 0o755),
  }),
  fc.record({ kind: fc.constant("drop" as const), file: name }),
  fc.record({ kind: fc.constant("foreign" as const), file: name, text: content }),
  fc.record({
    kind: fc.constant("chmod" as const),
    file: name,
    mode: fc.constantFrom(0o600, 0o640, 0o755),
  }),
  fc.record({ kind: fc.constant("lose" as const), file: name }),
);

async function happen(world: PackWorld, { file, ...event }: Event): Promise<void> {
  const module = join(world.repo, "m/tidy", file);
  const deployed = join(world.project, ".codex/skills/tidy", file);
  const ignore = (error: unknown) => assert(error instanceof Deno.errors.NotFound);
  if (event.kind === "write") await world.write(module, event.text, event.mode);
  else if (event.kind === "drop") await world.files.remove(module).catch(ignore);
  else if (event.kind === "foreign") await world.write(deployed, event.text);
  else if (event.kind === "chmod") await world.chmod(deployed, event.mode).catch(ignore);
  else await world.files.remove(deployed).catch(ignore);
}

const CODEX =
  "  codex: { mode: files, scope: both, options: { write_user_prompts: true, write_prompt_skills: false } }";

Deno.test("plan() after deployApply() is empty and status() clean, whatever happened before", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(event, { maxLength: 4 }), { maxLength: 3 }),
      async (rounds) => {
        await using world = await PackWorld.inMemory();
        await setUp(world, CODEX);
        for (const events of [[], ...rounds]) {
          for (const one of events) await happen(world, one);
          await deploy(world, {}, true);
          assertEquals((await plan(world.reader(), {})).data.changes, []);
          const { drift } =
            (await status(world.reader(), {}, { only: ["missing", "modified"] })).data;
          assertEquals(drift, []);
        }
      },
    ),
    { numRuns: cases(25, 10) },
  );
});

Deno.test("rollback() to the snapshot before a deploy gives the state that deploy found", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(event, { maxLength: 5 }),
      fc.array(event, { maxLength: 5 }),
      async (first, second) => {
        await using world = await PackWorld.inMemory();
        await setUp(world, CODEX);
        for (const one of first) await happen(world, one);
        const start = (await deploy(world, {}, true)).data.snapshot_id;
        // What happens to the modules, and foreign files; edits of managed files are not kept by design.
        for (const one of second.filter((one) => one.kind !== "lose" && one.kind !== "foreign")) {
          await happen(world, one);
        }
        await world.write(join(world.project, ".codex/skills/tidy/own/foreign.md"), "mine\n");
        await world.write("m/tidy/own/foreign.md", "theirs\n");
        const before = await world.tree(world.home, world.project);
        await deploy(world, {}, true);
        world.tick();
        await rollback(world.pack(), {}, { to: start ?? "" });
        assertEquals(await world.tree(world.home, world.project), before);
      },
    ),
    { numRuns: cases(40, 15) },
  );
});
