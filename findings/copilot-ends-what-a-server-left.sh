#!/usr/bin/env bash
# copilot-cli 1.0.102: when it ends, it ends every process that descends from one of its MCP servers, also one that was
# given a session of its own so that it outlives the server (`detached: true` of Node, `setsid`). A job that a tool has
# started in the background is killed with the answer that it was started. What has no parent among them, because
# whoever started it has ended, goes on.
#
# Seen (Linux):
#   in a session of its own: ended
#   without a parent: goes on
set -euo pipefail
place=$(mktemp -d)
trap 'for file in "$place"/job-*; do kill "$(cat "$file")" 2>/dev/null || true; done; kill "${model:-}" 2>/dev/null || true; rm -rf "$place"' EXIT
cd "$place"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @github/copilot@1.0.102 >/dev/null
mkdir -p home/.copilot work
cat >server.mjs <<'END'
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { writeFileSync } from "node:fs";
const job = spawn("sleep", ["300"], { detached: true, stdio: "ignore" });
writeFileSync(`${process.argv[2]}/job-session`, String(job.pid));
spawn("setsid", ["--fork", "sh", "-c", `echo $$ >${process.argv[2]}/job-orphan; exec sleep 300`], { stdio: "ignore" });
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = method === "initialize"
    ? { result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "jobs", version: "1" } } }
    : method === "tools/list"
    ? { result: { tools: [{ name: "start", description: "Starts a job", inputSchema: { type: "object" } }] } }
    : { error: { code: -32601, message: "none" } };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
});
END
cat >model.mjs <<'END'
import { createServer } from "node:http";
import { writeFileSync } from "node:fs";
const chunk = (delta, reason) => `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "gpt-4o",
  choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;
const server = createServer((request, response) => {
  request.resume().on("end", () => {
    response.setHeader("content-type", "text/event-stream");
    response.end(chunk({ role: "assistant", content: "done" }, null) + chunk({}, "stop") + "data: [DONE]\n\n");
  });
}).listen(0, "127.0.0.1", () => writeFileSync("port", String(server.address().port)));
END
node model.mjs & model=$!
for _ in $(seq 50); do [ -s port ] && break; sleep 0.1; done
echo '{ "mcpServers": { "jobs": { "type": "local", "tools": ["*"], "command": "node", "args": ["'"$place"'/server.mjs", "'"$place"'"] } } }' \
  >home/.copilot/mcp-config.json
(cd work && HOME="$place/home" COPILOT_OFFLINE=true COPILOT_PROVIDER_BASE_URL="http://127.0.0.1:$(cat ../port)/v1" \
  COPILOT_MODEL=gpt-4o ../node_modules/.bin/copilot -p hello </dev/null >../said 2>&1) || { cat said; exit 1; }
state() { if kill -0 "$(cat "job-$1")" 2>/dev/null; then echo "goes on"; else echo "ended"; fi; }
sleep 2
{
  echo "in a session of its own: $(state session)"
  echo "without a parent: $(state orphan)"
} >seen
cat seen
diff seen - <<'END'
in a session of its own: ended
without a parent: goes on
END
