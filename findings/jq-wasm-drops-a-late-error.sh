#!/usr/bin/env bash
# jq-wasm 1.0.1 (jq 1.7.1 inside): an error of the filter is thrown only where nothing was printed before it. Behind a
# first result it is dropped: raw() answers what was printed until then, json() the same parsed, as if it were all.
# So `.[] | .a.b` over a list whose second element has no such member answers the first value alone. The program jq
# prints the same and ends with code 5. That code is nowhere in the answer: jq-wasm leaves it in process.exitCode, so
# that a caller who caught everything still ends with 5.
#
# Seen:
#   error alone         throws
#   1, error, 2         "1"
#   member missing once 1
#   exit code of the caller 5
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund jq-wasm@1.0.1 >/dev/null
cat >look.mjs <<'END'
import { json, raw } from "jq-wasm";
const tell = async (what, call) => {
  try {
    console.log(what, JSON.stringify(await call()));
  } catch {
    console.log(what, "throws");
  }
};
const list = [{ a: { b: 1 } }, { a: "a text" }, { a: { b: 3 } }];
await tell("error alone        ", () => raw("{}", 'error("x")', ["-c"]));
await tell("1, error, 2        ", () => raw("{}", '1, error("x"), 2', ["-c"]));
await tell("member missing once", () => json(list, ".[] | .a.b"));
END
node look.mjs >seen && code=0 || code=$?
echo "exit code of the caller $code" >>seen
cat seen
diff seen - <<'END'
error alone         throws
1, error, 2         "1"
member missing once 1
exit code of the caller 5
END
