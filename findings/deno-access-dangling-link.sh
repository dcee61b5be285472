#!/usr/bin/env bash
# deno 2.8.3, node:fs access() and accessSync(): of a symbolic link whose target is not there they say that it can be
# read, written and executed. existsSync() of the same link says false, and Node 20 throws ENOENT from all of them.
# Who asks access() before opening a file learns only from open() that there is none.
#
# Seen, the last two lines being Node's:
#   deno access F_OK ok, R_OK ok, W_OK ok, X_OK ok
#   deno exists false
#   node access F_OK ENOENT, R_OK ENOENT, W_OK ENOENT, X_OK ENOENT
#   node exists false
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
ln -s nowhere link
cat >look.mjs <<'END'
import fs from "node:fs";
const words = ["F_OK", "R_OK", "W_OK", "X_OK"].map((name) => {
  try {
    fs.accessSync("link", fs.constants[name]);
    return `${name} ok`;
  } catch (error) {
    return `${name} ${error.code}`;
  }
});
console.log(`${process.argv[2]} access ${words.join(", ")}`);
console.log(`${process.argv[2]} exists ${fs.existsSync("link")}`);
END
npx -y deno@2.8.3 run --quiet -A look.mjs deno >seen
node look.mjs node >>seen
cat seen
diff seen - <<'END'
deno access F_OK ok, R_OK ok, W_OK ok, X_OK ok
deno exists false
node access F_OK ENOENT, R_OK ENOENT, W_OK ENOENT, X_OK ENOENT
node exists false
END
