#!/usr/bin/env bash
# deno 2.8.3, on Linux: Deno.lstat().ctime is in whole seconds, while mtime of the same answer has milliseconds. node:fs in
# Deno has it from there, so ctimeMs, and even ctimeNs of `bigint: true`, end in zeros. Two changes within a second that
# keep size and mtime (a copy with its times, an archive that is unpacked over) therefore look the same, though the
# system tells them apart. Node 20 tells of both.
#
# Seen, for a file changed three times with 50 ms between: how many different times of change each tells of.
#   deno Deno.lstatSync ctime 1
#   deno fs.lstatSync ctimeNs 1
#   node fs.lstatSync ctimeNs 3
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
cat >look.mjs <<'END'
import fs from "node:fs";
const pause = (ms) => new Promise((ended) => setTimeout(ended, ms));
const [runtime] = process.argv.slice(2);
const [whole, fine] = [new Set(), new Set()];
// All three within one second.
await pause(1_100 - new Date().getMilliseconds());
for (const text of ["one", "two", "six"]) {
  fs.writeFileSync("file", text);
  fs.utimesSync("file", 1_577_934_245, 1_577_934_245);
  if (globalThis.Deno) whole.add(Deno.lstatSync("file").ctime.getTime());
  fine.add(fs.lstatSync("file", { bigint: true }).ctimeNs);
  await pause(50);
}
if (globalThis.Deno) console.log(`${runtime} Deno.lstatSync ctime ${whole.size}`);
console.log(`${runtime} fs.lstatSync ctimeNs ${fine.size}`);
END
npx -y deno@2.8.3 run --quiet -A look.mjs deno >seen
node look.mjs node >>seen
cat seen
diff seen - <<'END'
deno Deno.lstatSync ctime 1
deno fs.lstatSync ctimeNs 1
node fs.lstatSync ctimeNs 3
END
