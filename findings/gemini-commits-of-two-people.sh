#!/usr/bin/env bash
# gemini-cli 0.61.0 keeps from MCP servers every variable whose name has AUTH in it, and so GIT_AUTHOR_NAME and
# GIT_AUTHOR_EMAIL. GIT_COMMITTER_NAME and GIT_COMMITTER_EMAIL are handed on. Where a shell names one person by all four,
# git takes the author from its configuration, and a commit that a server makes has two people in it.
#
# Seen:
#   author: From Configuration
#   committer: From Environment
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @google/gemini-cli@0.61.0 >/dev/null
mkdir -p home/.gemini work
git config --file home/.gitconfig user.name "From Configuration"
git config --file home/.gitconfig user.email configuration@example.org
cat >server.sh <<END
#!/bin/sh
name() { git var "\$1" | sed 's/ <.*//'; }
{ echo "author: \$(name GIT_AUTHOR_IDENT)"; echo "committer: \$(name GIT_COMMITTER_IDENT)"; } >'$place/seen'
END
chmod +x server.sh
echo '{ "mcpServers": { "it": { "command": "'"$place"'/server.sh" } } }' >home/.gemini/settings.json
(cd work && env -i PATH="$PATH" HOME="$place/home" GEMINI_CLI_TRUST_WORKSPACE=true \
  GIT_AUTHOR_NAME="From Environment" GIT_AUTHOR_EMAIL=environment@example.org \
  GIT_COMMITTER_NAME="From Environment" GIT_COMMITTER_EMAIL=environment@example.org \
  ../node_modules/.bin/gemini mcp list </dev/null >../said 2>&1) || { cat said; exit 1; }
cat seen
diff seen - <<'END'
author: From Configuration
committer: From Environment
END
