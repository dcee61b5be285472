import { assertEquals } from "@std/assert";
import { parseAnswer } from "../../../src/forge/programs.ts";

const HEADERS = "Content-Type: application/json\r\nX-RateLimit-Remaining: 0\r\n\r\n";

const ANSWERS: readonly (readonly [string, string, unknown])[] = [
  ["gh, whose first line ends in another way", `HTTP/2.0 200 OK\n${HEADERS}{"a":1}`, [200, {
    a: 1,
  }]],
  ["curl", `HTTP/1.1 201 Created\r\n${HEADERS}[]`, [201, []]],
  ["a number alone", `HTTP/2 404 \r\n${HEADERS}{}`, [404, {}]],
  ["go on, then the answer", `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n${HEADERS}1`, [
    200,
    1,
  ]],
  ["without headers", "HTTP/1.1 204 No Content\r\n\r\n", [204, null]],
  ["a page instead of JSON", `HTTP/1.1 502 Bad Gateway\r\n${HEADERS}<html>`, [502, "<html>"]],
  ["no answer", "curl: (7) Failed to connect", null],
  ["nothing", "", null],
];

for (const [name, text, expected] of ANSWERS) {
  Deno.test(`parseAnswer() reads ${name}`, () => {
    const found = parseAnswer(text);
    assertEquals(found === null ? null : [found.status, found.body], expected);
  });
}

Deno.test("parseAnswer() knows headers by their lower-case names", () => {
  const found = parseAnswer(`HTTP/1.1 403 Forbidden\r\n${HEADERS}{}`);
  assertEquals(found?.headers.get("x-ratelimit-remaining"), "0");
});
