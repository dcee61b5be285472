/**
 * A program that tries to reach servers: `network_probe.ts ORIGIN|none URL…`. It prints for each URL how the request
 * ended that may only go to the origin, and then how one of its own did.
 *
 * @module
 */

import { confinedHttp } from "../../src/base/system/real/http.ts";

const [origin = "none", ...urls] = Deno.args;
const http = confinedHttp(origin === "none" ? null : origin);
const ends: (readonly [string, string])[] = [];
for (const url of urls) {
  const result = await http.send({
    method: "POST",
    url,
    headers: {},
    body: "{}",
    access: "write",
    timeoutMs: 20_000,
    maxBytes: 1_000,
  });
  const own = await fetch(url).then(() => "answered", (thrown) => (thrown as Error).name);
  ends.push([result.answered ? `${result.status} ${result.body}` : result.failure, own]);
}
const aborted = await http.send({
  method: "GET",
  url: `${urls[0]}/never`,
  headers: {},
  access: "read",
  timeoutMs: 20_000,
  maxBytes: 1_000,
  signal: AbortSignal.timeout(50),
});
ends.push([aborted.answered ? "answered" : aborted.failure, ""]);
// deno-lint-ignore no-console
console.log(JSON.stringify(ends));
Deno.exit(0);
