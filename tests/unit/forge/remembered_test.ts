import { assertEquals } from "@std/assert";
import type { ForgeAnswer, ForgeRequest } from "../../../src/forge/port.ts";
import { Answers, Remembering } from "../../../src/forge/forges.ts";

const READ: ForgeRequest = { method: "GET", path: "repos/shop/api/pulls/1" };

function answer(status: number, etag: string | null, body: unknown): ForgeAnswer {
  return { status, headers: new Map(etag === null ? [] : [["etag", etag]]), body };
}

/** Asks the same again and again; what was asked for by mark, and what came of it. */
async function asked(request: ForgeRequest, answers: readonly ForgeAnswer[]) {
  const marks: (string | undefined)[] = [];
  const rest = [...answers];
  const way = new Remembering(
    {
      call(said) {
        marks.push(said.known);
        return Promise.resolve(rest.shift() ?? answer(500, null, null));
      },
    },
    new Answers(),
    "https://github.com",
  );
  const came: unknown[] = [];
  for (const _ of answers) {
    const { status, body } = await way.call(request);
    came.push([status, body]);
  }
  return { marks, came };
}

const CASES: readonly (readonly [string, ForgeRequest, readonly ForgeAnswer[], unknown])[] = [
  ["keeps what has not changed", READ, [answer(200, '"a"', 1), answer(304, '"a"', null)], {
    marks: [undefined, '"a"'],
    came: [[200, 1], [200, 1]],
  }],
  ["takes what is new", READ, [
    answer(200, 'W/"a"', 1),
    answer(200, 'W/"b"', 2),
    answer(304, null, null),
  ], { marks: [undefined, 'W/"a"', 'W/"b"'], came: [[200, 1], [200, 2], [200, 2]] }],
  ["forgets what is refused", READ, [
    answer(200, '"a"', 1),
    answer(404, '"n"', null),
    answer(200, '"a"', 1),
  ], { marks: [undefined, '"a"', undefined], came: [[200, 1], [404, null], [200, 1]] }],
  ["hands no other text on as a mark", READ, [
    answer(200, '"a"\r\nX-Other: 1', 1),
    answer(200, "a", 2),
    answer(200, null, 3),
    answer(200, null, 4),
  ], {
    marks: [undefined, undefined, undefined, undefined],
    came: [[200, 1], [200, 2], [200, 3], [200, 4]],
  }],
  ["leaves changes alone", { ...READ, method: "PUT" }, [
    answer(200, '"a"', 1),
    answer(200, '"a"', 1),
  ], { marks: [undefined, undefined], came: [[200, 1], [200, 1]] }],
];

for (const [name, request, answers, expected] of CASES) {
  Deno.test(`an answer that is remembered ${name}`, async () => {
    assertEquals(await asked(request, answers), expected);
  });
}

Deno.test("answers are kept apart by where they are from, and not without end", () => {
  const answers = new Answers();
  const large = "x".repeat(12 * 1024 * 1024);
  for (const name of ["a", "b", "c"]) answers.set(name, answer(200, `"${name}"`, large));
  assertEquals(["a", "b", "c"].map((name) => answers.get(name)?.mark), [undefined, '"b"', '"c"']);
});
