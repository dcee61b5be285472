#!/usr/bin/env bash
# mcporter 0.12.3: with XDG_CONFIG_HOME set, servers of ~/.mcporter/mcporter.json are listed and work, until the first
# `mcporter config add --scope home`: it writes a new file, mcporter/mcporter.json in XDG_CONFIG_HOME, and from then on
# the file of the home is not read any more. Every server that was there is gone from the list, without a word, and
# `mcporter config doctor` finds nothing wrong. Adding one server so takes away all others.
#
# Seen:
#   before: old
#   after adding new: new
#   doctor: says nothing of old
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund mcporter@0.12.3 >/dev/null
mcporter() { HOME="$place/home" XDG_CONFIG_HOME="$place/config" NO_COLOR=1 node_modules/.bin/mcporter config "$@"; }
names() { mcporter list --json | node -e '
  const { servers } = JSON.parse(require("fs").readFileSync(0, "utf8"));
  console.log(servers.map(({ name }) => name).sort().join(" "));'; }
mkdir -p home/.mcporter
echo '{ "mcpServers": { "old": { "command": "true" } } }' >home/.mcporter/mcporter.json
{
  echo "before: $(names)"
  mcporter add new --command true --scope home >/dev/null
  echo "after adding new: $(names)"
  mcporter doctor 2>&1 | grep -q old && echo "doctor: names old" || echo "doctor: says nothing of old"
} >seen
cat seen
diff seen - <<'END'
before: old
after adding new: new
doctor: says nothing of old
END
