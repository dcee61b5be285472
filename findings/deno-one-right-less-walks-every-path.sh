#!/usr/bin/env bash
# deno 2.8.3, on x86-64 Linux: a program with all permissions opens a file with one call of the system. Once it has given up any
# one of them, as `net`, which has nothing to do with files, each open first resolves the path: one readlink(2) for the
# file and for every directory above it. Deno.statSync and Deno.lstatSync stay as they were. A tool that drops what it does not need, and
# then reads some thousand small files, makes ten times as many calls as before. `--allow-read` alone does the same.
#
# Seen, for 100 reads of one file with six directories above it, as counted by strace 6.1:
#   all permissions: 0
#   one given up: 700
#   one given up, stat: 0
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
apt-get download -qq strace=6.1-0.1 >/dev/null 2>&1
dpkg -x strace_*.deb tools
file=/tmp/${place##*/}/a/b/c/d
mkdir -p "$file"
echo text >"$file/file"
cat >read.mjs <<'END'
const [path, rights, what] = Deno.args;
if (rights === "fewer") Deno.permissions.revokeSync({ name: "net" });
for (let turn = 0; turn < 100; turn++) Deno[what](path);
END
# How many times a part of the path is asked for.
walked() {
  tools/usr/bin/strace -f -qq -e trace=readlink -o trace npx -y deno@2.8.3 run --quiet -A read.mjs "$file/file" "$@"
  grep -c "\"/tmp\(/${place##*/}.*\)\?\"" trace || true
}
{
  echo "all permissions: $(walked all readTextFileSync)"
  echo "one given up: $(walked fewer readTextFileSync)"
  echo "one given up, stat: $(walked fewer statSync)"
} >seen
cat seen
diff seen - <<'END'
all permissions: 0
one given up: 700
one given up, stat: 0
END
