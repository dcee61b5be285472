/**
 * The demo of environments: a script of the control repository is approved, and starts and stops a small web server.
 */

import { join } from "@std/path";
import { Git } from "../../../../git/mod.ts";
import type { Files, System } from "../../../../base/system/mod.ts";
import { ECOSYSTEM, openShop, type Sandbox } from "./sandbox.ts";
import type { DemoStage } from "./stage.ts";

/** A second ecosystem, of containers only. */
const CONTAINERS = "stage";

const CONTAINERS_MANIFEST = `name: ${CONTAINERS}
description: A web server in a container
provisioner: compose
provisioner_env: [DOCKER_HOST, DOCKER_CONTEXT]
repos: []
`;

/** Whether a program is there and runs. */
async function works({ processes }: System, command: string): Promise<boolean> {
  const { exitCode } = await processes.run({ command, args: ["--version"], timeoutMs: 20_000 });
  return exitCode === 0;
}

/** Gives the ecosystem a provisioner, and the control repository a second ecosystem. */
async function equip({ files, ...system }: System, { control }: Sandbox): Promise<void> {
  const manifest = join(control, "ecosystems", ECOSYSTEM, "ecosystem.yaml");
  await files.write(manifest, `name: ${ECOSYSTEM}\nprovisioner: local\nrepos: []\n`);
  await files.write(
    join(control, "ecosystems", CONTAINERS, "ecosystem.yaml"),
    CONTAINERS_MANIFEST,
  );
  await writeProvisioners(files, control);
  await new Git({ ...system, files }).at(control).commits.all("Add environments");
}

/** Shows how an environment is made and removed, where this machine can. */
export async function showSpin(system: System, stage: DemoStage, sandbox: Sandbox): Promise<void> {
  await openShop(system, sandbox);
  await equip(system, sandbox);
  const spin = (words: readonly string[], answers: readonly string[] = []) =>
    stage.amof(sandbox, ["-e", ECOSYSTEM, "spin", ...words], {
      cwd: sandbox.control,
      most: 10,
      answers,
    });
  await stage.scene("1 · An environment is made by a script of yours");
  await spin(["status"]);
  if (
    !await works(system, "bash") || !(await works(system, "python3") || await works(system, "node"))
  ) {
    stage.say("The rest is left out: the provisioner local needs bash, and python3 or node.");
    return;
  }
  await stage.scene("2 · It runs with your rights: read it, approve it");
  await spin(["trust"], ["y"]);
  await stage.scene("3 · Deploy starts a small web server on this machine");
  await spin(["deploy"], ["y"]);
  try {
    await spin(["status"]);
    await stage.scene("4 · To destroy it takes the name of the ecosystem");
    await spin(["destroy"], [ECOSYSTEM]);
  } catch (thrown) {
    stage.end(["", "The server may still run, until:"], [`amof -e ${ECOSYSTEM} spin destroy`]);
    throw thrown;
  }
  stage.say(`With a container engine, approve the other: amof -e ${CONTAINERS} spin trust`);
  stage.say(`Then start it: amof -e ${CONTAINERS} spin deploy`);
}

// The two provisioners of the demo, as files: both work beyond it.
//
// `local` starts a small web server on this machine, `compose` a container by the engine of the machine.

const LOCAL = String.raw`#!/usr/bin/env bash
# Starts, checks and stops a small web server on the loopback address of this machine.
# Called as: spin.sh deploy|destroy ECOSYSTEM_DIRECTORY
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
pid_file=$AMOF_STATE_DIR/server.pid
port_file=$AMOF_STATE_DIR/server.port
log_file=$AMOF_STATE_DIR/server.log

# When a process started; empty when it is gone. A number alone may belong to another process by now.
started() {
  # The kernel counts from its own start; what ps tells is reckoned from a clock that may be set meanwhile.
  if [ -r /proc/self/stat ]; then
    sed -e 's/.*) //' -e '/^Z/d' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 20 || true
  else
    ps -o stat= -o lstart= -p "$1" 2>/dev/null | sed -e '/^Z/d' -e 's/^[^ ]* *//' | tr -s ' ' || true
  fi
}

# The number of our server; empty when it does not run.
server() {
  local pid since
  [ -f "$pid_file" ] || return 0
  { read -r pid && read -r since; } <"$pid_file" || return 0
  if [ -n "$since" ] && [ "$(started "$pid")" = "$since" ]; then echo "$pid"; fi
}

url() { echo "http://127.0.0.1:$(cat "$port_file")"; }

# Whether the server answers. Needs no other program than this shell.
healthy() {
  [ -f "$port_file" ] || return 1
  (
    exec 3<>"/dev/tcp/127.0.0.1/$(cat "$port_file")"
    printf 'GET /health HTTP/1.0\r\n\r\n' >&3
    read -r -t 5 answer <&3
    [[ $answer == HTTP/1.?' 200'* ]]
  ) 2>/dev/null
}

start() {
  local pid turn
  rm -f "$port_file"
  if python3 -c pass 2>/dev/null; then
    nohup python3 "$here/server.py" "$port_file" "$AMOF_ECOSYSTEM" >"$log_file" 2>&1 </dev/null &
  elif node -e 0 2>/dev/null; then
    nohup node "$here/server.mjs" "$port_file" "$AMOF_ECOSYSTEM" >"$log_file" 2>&1 </dev/null &
  else
    echo "Cannot start a server: neither python3 nor node is installed" >&2
    exit 69
  fi
  pid=$!
  printf '%s\n%s\n' "$pid" "$(started "$pid")" >"$pid_file"
  for ((turn = 0; turn < 150; turn++)); do
    if healthy; then
      echo "The server of $AMOF_ECOSYSTEM answers at $(url) as process $pid"
      return
    fi
    [ -n "$(server)" ] || break
    sleep 0.1
  done
  echo "The server did not come up; its last words:" >&2
  tail -n 5 "$log_file" >&2 || true
  stop
  exit 1
}

stop() {
  local pid turn
  pid=$(server)
  if [ -n "$pid" ]; then
    kill "$pid" 2>/dev/null || true
    for ((turn = 0; turn < 50; turn++)); do
      [ -n "$(server)" ] || break
      sleep 0.1
    done
    [ -z "$(server)" ] || kill -9 "$pid" 2>/dev/null || true
    echo "Stopped process $pid"
  else
    echo "The server does not run"
  fi
  rm -f "$pid_file" "$port_file" "$log_file"
}

case $1 in
deploy)
  if [ -n "$(server)" ] && healthy; then
    echo "The server of $AMOF_ECOSYSTEM runs already at $(url) as process $(server)"
  else
    [ -z "$(server)" ] || stop
    start
  fi
  ;;
destroy) stop ;;
*)
  echo "Called with $1 instead of deploy or destroy" >&2
  exit 64
  ;;
esac
`;

const SERVER_PY = String
  .raw`"""Answers on a free port of the loopback address and writes its number into a file."""

import http.server
import os
import sys

PORT_FILE, NAME = sys.argv[1:3]


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = ("ok" if self.path == "/health" else "This is " + NAME).encode() + b"\n"
        self.send_response(200)
        self.send_header("content-type", "text/plain; charset=utf-8")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open(PORT_FILE + ".new", "w", encoding="ascii") as file:
    file.write(str(server.server_address[1]))
os.replace(PORT_FILE + ".new", PORT_FILE)
server.serve_forever()
`;

const SERVER_MJS = String
  .raw`// Answers on a free port of the loopback address and writes its number into a file.
import { renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";

const [portFile, name] = process.argv.slice(2);

const server = createServer((request, response) => {
  response.writeHead(200, { "content-type": "text/plain; charset=utf-8" });
  response.end((request.url === "/health" ? "ok" : "This is " + name) + "\n");
});

server.listen(0, "127.0.0.1", () => {
  writeFileSync(portFile + ".new", String(server.address().port));
  renameSync(portFile + ".new", portFile);
});
`;

const COMPOSE = String.raw`#!/usr/bin/env bash
# Makes and removes the containers of compose.yaml, one project per ecosystem.
# Called as: spin.sh deploy|destroy ECOSYSTEM_DIRECTORY
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
directory=$2

refuse() {
  echo "Cannot $AMOF_ACTION $AMOF_ECOSYSTEM: $1" >&2
  exit 69
}

command -v docker >/dev/null || refuse "docker is not installed"
docker compose version >/dev/null 2>&1 || refuse "docker has no compose plugin"
docker info >/dev/null 2>&1 ||
  refuse "no container engine answers; start it, or name another one in DOCKER_HOST"

project=amof-$(printf %s "$AMOF_ECOSYSTEM" | tr '[:upper:].' '[:lower:]-')

# The file lies in a copy that is gone afterwards; what it names relatively is the ecosystem's.
compose() {
  docker compose --ansi never --project-name "$project" --project-directory "$directory" \
    --file "$here/compose.yaml" "$@"
}

case $1 in
deploy)
  compose up --detach --wait --wait-timeout 300 --remove-orphans
  compose ps
  ;;
destroy) compose down --volumes --remove-orphans ;;
*)
  echo "Called with $1 instead of deploy or destroy" >&2
  exit 64
  ;;
esac
`;

const COMPOSE_YAML = String.raw`services:
  web:
    image: nginx:1.29-alpine
    ports:
      - "127.0.0.1::80" # a free port, on this machine only
    healthcheck:
      test: ["CMD", "wget", "-q", "-O", "/dev/null", "http://127.0.0.1/"]
      interval: 2s
      timeout: 2s
      retries: 30
`;

const FILES: readonly (readonly [string, string, number])[] = [
  ["local/spin.sh", LOCAL, 0o755],
  ["local/server.py", SERVER_PY, 0o644],
  ["local/server.mjs", SERVER_MJS, 0o644],
  ["compose/spin.sh", COMPOSE, 0o755],
  ["compose/compose.yaml", COMPOSE_YAML, 0o644],
];

/** Writes both provisioners into a control repository. */
async function writeProvisioners(files: Files, control: string): Promise<void> {
  for (const [path, text, mode] of FILES) {
    await files.write(join(control, "provisioners", path), text, { mode });
  }
}
