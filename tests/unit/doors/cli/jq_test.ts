// Covers --jq: a table of expressions with what jq itself answers for them.

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { checkExpression, filtered } from "../../../../src/doors/cli/jq.ts";
import { AmofError } from "../../../../src/base/error.ts";

const ANSWER = {
  summary: "Söme text 日本",
  none: null,
  big: 12345678901,
  repos: [
    { name: "api", branch: "main", dirty: true, ahead: 2, tags: ["a", "b"] },
    { name: "docs", branch: "x", dirty: false, ahead: 0, tags: [] },
  ],
};

/** An expression and the lines it prints. */
const TABLE: readonly (readonly [string, ...string[]])[] = [
  [".summary", "Söme text 日本"],
  [".none", "null"],
  ["# nothing\n #but comments", JSON.stringify(ANSWER)],
  ["[$ENV.HOME, env]", "[null,{}]"],
  [".missing", "null"],
  [".big", "12345678901"],
  ['.none // "none"', "none"],
  ["empty"],
  [".repos[].name", "api", "docs"],
  [".repos[] | select(.dirty) | .name", "api"],
  ["[.repos[] | {name, ahead}]", '[{"name":"api","ahead":2},{"name":"docs","ahead":0}]'],
  [".repos | map(.ahead) | add", "2"],
  [".repos | length", "2"],
  [".repos[1:] | .[0].name", "docs"],
  [".repos | sort_by(.ahead) | first.name", "docs"],
  [".repos | group_by(.branch) | map({key: .[0].branch, n: length})[0]", '{"key":"main","n":1}'],
  ['.repos[] | "\\(.name) \\(.ahead)"', "api 2", "docs 0"],
  [".repos[] | [.name, .ahead] | @tsv", "api\t2", "docs\t0"],
  [".repos[] | [.name, .ahead] | @csv", '"api",2', '"docs",0'],
  ['@sh "echo \\(.summary)"', "echo 'Söme text 日本'"],
  ['try error("x") catch .', "x"],
  ['.repos[] as {name: $n, ahead: $a} | "\\($n)=\\($a)"', "api=2", "docs=0"],
  ["reduce .repos[] as $r (0; . + $r.ahead)", "2"],
  ["first(.repos[].name)", "api"],
  ["label $found | .repos[] | if .dirty then .name, break $found else empty end", "api"],
  ["del(.repos, .summary) | keys", '["big","none"]'],
  ['.repos | map(.name) | index("docs")', "1"],
  [".repos | any(.dirty)", "true"],
  ["[.repos[].tags[]] | unique", '["a","b"]'],
  [".repos | INDEX(.name) | keys", '["api","docs"]'],
  ['.summary | test("text$")', "false"],
  ['.summary | sub("[^ ]+ (?<w>[a-z]+).*"; "\\(.w)")', "text"],
  ["def twice(f): f | f; 1 | twice(. + 1)", "3"],
  ["[limit(3; repeat(1))]", "[1,1,1]"],
  [".repos | map(select(.ahead > 0)) | .[].name # those ahead", "api"],
  ["[paths | tostring] | length", "18"],
];

Deno.test("--jq prints what jq -r prints: texts as they are, all else as JSON, a line each", async () => {
  const wrong: string[] = [];
  for (const [expression, ...lines] of TABLE) {
    await checkExpression(expression);
    const { text: printed, failure } = await filtered(ANSWER, expression);
    if (failure !== null || printed !== lines.map((line) => `${line}\n`).join("")) {
      wrong.push(`${expression}: ${printed}`);
    }
  }
  assertEquals(wrong, []);
});

Deno.test("an expression that is none is refused before anything is done, one that fails when it does", async () => {
  const refusal = async (work: Promise<unknown>) => {
    const error = await assertRejects(() => work, AmofError);
    assertEquals(error.code, "invalid_arguments");
    return error.message;
  };
  const none = [".repos[", "foo", ".a |", "reduce", "1,", "1) | (2", ".a) , (.b", "1]", "}"];
  // Nothing closes what stands around an expression.
  none.push("1 else 2 end, if true then 3", "1) | [0,.]) catch 3; try (2");
  for (const expression of none) {
    const message = await refusal(checkExpression(expression));
    assertStringIncludes(message, "Cannot use --jq ");
    if (!expression.includes(")")) assert(!message.includes("')'"), message);
  }
  await checkExpression('"x" | halt_error');
  assertStringIncludes(await refusal(checkExpression("foo")), "foo/0 is not defined");
});

/** An expression that ends in an error, the lines it prints before, and what jq says of the error. */
const FAILING: readonly (readonly [
  expression: string,
  printed: string,
  error: string,
  exit?: number,
])[] = [
  [".summary | .name", "", 'Cannot index string with string "name"'],
  ['1, error("x")', "1\n", "x"],
  ['" a ", "b\\nc", error', " a \nb\nc\n", "(not a string): {"],
  [
    ".repos[] | .name, (.tags[0] | ascii_upcase)",
    "api\nA\ndocs\n",
    "explode input must be a string",
  ],
  [".repos[] | .tags | .[0] | length, keys", "1\n", "has no keys"],
  ["1, error(null)", "1\n", "(not a string): null"],
  ['1, ("stop" | halt_error), 2', "1\n", "stop"],
  ["1, ({a: 1} | halt_error(3)), 2", "1\n", '{"a":1}', 3],
  // Nothing catches what halts.
  ['1, ("z" | halt_error(7))?, 2', "1\n", "z", 7],
  ['try ("z" | halt_error(7)) catch "caught"', "", "z", 7],
  ['("z" | halt_error(7)) // 3', "", "z", 7],
  ["1, halt, 2", "1\n", ""],
  ["input", "", "No more inputs"],
  // What is written to standard error is no failure.
  ['"err" | stderr | empty', "", ""],
  [".summary | debug | empty", "", ""],
  ['"x" | halt_error(1)', "", "x", 1],
  ['"x" | halt_error(77)', "", "x", 77],
  ['"x" | halt_error(0)', "", ""],
  ['"x" | halt_error(300)', "", "x"],
  ["label $out | 1, break $out, 2, input", "1\n", ""],
];

Deno.test("an expression that fails says so with jq's exit code, behind the results before it", async () => {
  for (const [expression, printed, error, exit = 5] of FAILING) {
    await checkExpression(expression);
    const { text, failure } = await filtered(ANSWER, expression);
    assertEquals(text, printed, expression);
    if (error === "") assertEquals(failure, null);
    else {
      assertEquals([failure?.code, failure?.exit], ["invalid_arguments", exit], expression);
      assertStringIncludes(
        failure?.message ?? "",
        `Cannot use --jq ${JSON.stringify(expression)}: `,
      );
      assertStringIncludes(failure?.message ?? "", error);
    }
  }
});

Deno.test("an expression sees neither the environment nor files", async () => {
  assertEquals((await filtered(ANSWER, '$ENV | has("AMOF_HOME")')).text, "false\n");
  await assertRejects(() => filtered(ANSWER, 'import "a" as a; 1'), AmofError);
  const { text } = await filtered(ANSWER, '[env | to_entries[] | .value] | join(" ")');
  assert(!text.includes("/root"));
});
