#!/usr/bin/env bash
# deno 2.8.3 with "unstable": ["npm-lazy-caching"]: `deno run` of a module fetches the packages that it imports, as the
# setting promises. `deno task` fetches every package of the lock file before it starts any task, also one that runs no
# JavaScript at all. A repository whose tests need large packages makes all of its tasks wait for them; a command of
# `deno run` in place of the task does not.
#
# Seen:
#   deno run of what imports is-number: is-number
#   deno task that runs echo: is-number left-pad
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
cat >deno.json <<'END'
{
  "unstable": ["npm-lazy-caching"],
  "imports": { "is-number": "npm:is-number@7.0.0", "left-pad": "npm:left-pad@1.3.0" },
  "tasks": { "hello": "echo hello" }
}
END
echo 'import isNumber from "is-number"; isNumber(1);' >one.ts
echo 'import leftPad from "left-pad"; leftPad("a", 3);' >other.ts
deno() { npx -y deno@2.8.3 "$@"; }
fetched() { find "$1/npm" -mindepth 2 -maxdepth 2 -type d -printf '%f\n' | sort | paste -sd ' '; }
DENO_DIR="$place/lock" deno install --quiet --entrypoint one.ts other.ts >/dev/null
DENO_DIR="$place/run" deno run --quiet -A one.ts
DENO_DIR="$place/task" deno task --quiet hello >/dev/null
{
  echo "deno run of what imports is-number: $(fetched run)"
  echo "deno task that runs echo: $(fetched task)"
} >seen
cat seen
diff seen - <<'END'
deno run of what imports is-number: is-number
deno task that runs echo: is-number left-pad
END
