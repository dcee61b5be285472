/** The programs of the command line. One is loaded when it is called. */

import type { KnownProgram, OwnLine, Program } from "../../../pipeline/line/program.ts";
import { DOOR_WINGS } from "../../wings.ts";
import { PROGRAM_FACTS } from "./facts.ts";

/** A program of the list: what is known of it, and how to get the rest. */
export type ListedProgram = KnownProgram & {
  /** Loads the module that declares it. */
  readonly load: () => Promise<Program>;
};

/** Where each program is declared, by its words, in the order of help. */
export const PROGRAM_PLACES: Readonly<Record<string, () => Promise<Program>>> = {
  open: async () => (await import("./open.ts")).openProgram,
  approve: async () => (await import("./approve.ts")).approveProgram,
  deny: async () => (await import("./deny.ts")).denyProgram,
  "server open": async () => (await import("./server/open.ts")).serverOpenProgram,
  "audit export": async () => (await import("./audit/export.ts")).auditExport,
  ...Object.fromEntries(DOOR_WINGS.flatMap(({ programs }) => Object.entries(programs ?? {}))),
  "mcp serve": async () => (await import("./mcp/serve.ts")).mcpServe,
  "mcp start": async () => (await import("./mcp/serve.ts")).mcpStart,
  serve: async () => (await import("./serve.ts")).serveShort,
  "mcp tools": async () => (await import("./mcp/tools.ts")).mcpTools,
  "mcp config": async () => (await import("./mcp/config.ts")).mcpConfig,
  "config list": async () => (await import("./config/list.ts")).configList,
  "config get": async () => (await import("./config/get.ts")).configGet,
  "config set": async () => (await import("./config/set.ts")).configSet,
  "config unset": async () => (await import("./config/unset.ts")).configUnset,
  "config edit": async () => (await import("./config/edit.ts")).configEdit,
  "config path": async () => (await import("./config/path.ts")).configPath,
  upgrade: async () => (await import("./upgrade.ts")).upgradeProgram,
  demo: async () => (await import("./demo/demo.ts")).demoProgram,
  schema: async () => (await import("./schema.ts")).schemaProgram,
  completions: async () => (await import("./completions.ts")).completionsProgram,
  "shell-init": async () => (await import("./shell_init.ts")).shellInitProgram,
  complete: async () => (await import("./complete.ts")).completeProgram,
  "run-worker": async () => (await import("./run_worker.ts")).runWorkerProgram,
  "shard run": async () => (await import("./shard_run.ts")).shardRun,
  "server-probe": async () => (await import("./server/probe.ts")).serverProbeProgram,
  "server-worker": async () => (await import("./server/worker.ts")).serverWorkerProgram,
};

/** Every program. */
export const PROGRAMS: readonly ListedProgram[] = PROGRAM_FACTS.flatMap((facts) => {
  const load = PROGRAM_PLACES[facts.path.join(" ")];
  return load === undefined ? [] : [{ ...facts, load }];
});

/** The command line of its own behind a word, which may be the name of the whole program; null for any other. */
export async function ownLine(word: string | undefined): Promise<OwnLine | null> {
  const listed = PROGRAMS.find(({ delegates, path }) => delegates === true && path[0] === word);
  return (await listed?.load())?.delegate ?? null;
}
