#!/usr/bin/env bash
# deno 2.8.3 and 2.9.6, import(): a module that still waits in a top-level await is handed on before its constants have
# values, in two cases that the queue for such imports does not know: where it began to load as part of another module
# that imports it statically, and where any other module was imported since. Who then reads an export gets a
# ReferenceError, once in many runs where the wait is short. Node 20 waits in both.
#
# Seen, the second two lines being Node's:
#   part of another: 1, then ReferenceError
#   another since: 1, then ReferenceError
#   part of another: 1, then 1
#   another since: 1, then 1
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
cat >slow.mjs <<'JS'
await new Promise((done) => setTimeout(done, 500));
export const value = 1;
JS
echo 'export { value } from "./slow.mjs";' >whole.mjs
echo 'export const ask = () => import("./slow.mjs");' >other.mjs
cat >begin.mjs <<'JS'
const told = (module) => module.then(({ value }) => value).catch(({ name }) => name);
const pause = () => new Promise((done) => setTimeout(done, 50));
if (process.argv[2] === "whole") {
  const first = told(import("./whole.mjs"));
  await pause();
  console.log(`part of another: ${(await Promise.all([first, told(import("./slow.mjs"))])).join(", then ")}`);
} else {
  const first = told(import("./slow.mjs"));
  await pause();
  const { ask } = await import("./other.mjs");
  console.log(`another since: ${(await Promise.all([first, told(ask())])).join(", then ")}`);
}
JS
for version in 2.8.3 2.9.6; do
  for what in whole other; do npx -y deno@$version run --quiet -A begin.mjs $what; done >"seen-$version"
  for what in whole other; do node begin.mjs $what; done >>"seen-$version"
  cat "seen-$version"
  diff "seen-$version" - <<'TEXT'
part of another: 1, then ReferenceError
another since: 1, then ReferenceError
part of another: 1, then 1
another since: 1, then 1
TEXT
done
