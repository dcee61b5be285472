#!/usr/bin/env bash
# copilot-cli 1.0.102 reads comments in its mcp-config.json, and `copilot mcp add` of another server writes the file anew
# without them: what a team has noted beside a server is gone, and nothing is said about it.
#
# Seen:
#   with comments: notes is listed
#   after adding clock: 0 comments
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @github/copilot@1.0.102 >/dev/null
mkdir -p home/.copilot
cat >home/.copilot/mcp-config.json <<'END'
{
  // The tools team looks after these.
  "mcpServers": {
    "notes": { "type": "local", "command": "node", "args": ["notes.mjs"], "tools": ["*"] } /* only reads */
  }
}
END
copilot() { HOME="$place/home" node_modules/.bin/copilot "$@"; }
{
  if copilot mcp list | grep -q '^ *notes '; then echo "with comments: notes is listed"; fi
  copilot mcp add clock -- node clock.mjs >/dev/null
  echo "after adding clock: $(grep -c '//\|/\*' home/.copilot/mcp-config.json || true) comments"
} >seen
cat seen
diff seen - <<'END'
with comments: notes is listed
after adding clock: 0 comments
END
