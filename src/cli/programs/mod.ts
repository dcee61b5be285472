/**
 * The programs of the command line.
 *
 * @module
 */

import type { Program } from "../../command/line/program.ts";
import { approveProgram } from "./approve.ts";
import { auditExport } from "./audit_export.ts";
import { agentpackProgram } from "./agentpack.ts";
import { completeProgram } from "./complete.ts";
import { completionsProgram } from "./completions.ts";
import { denyProgram } from "./deny.ts";
import { configEdit } from "./config_edit.ts";
import { configGet } from "./config_get.ts";
import { configList } from "./config_list.ts";
import { configPath } from "./config_path.ts";
import { configSet } from "./config_set.ts";
import { configUnset } from "./config_unset.ts";
import { demoProgram } from "./demo.ts";
import { mcpConfig } from "./mcp_config.ts";
import { mcpServe, mcpStart, serveShort } from "./mcp_serve.ts";
import { mcpTools } from "./mcp_tools.ts";
import { openProgram } from "./open.ts";
import { runWorkerProgram } from "./run_worker.ts";
import { schemaProgram } from "./schema.ts";
import { serverOpenProgram } from "./server_open.ts";
import { serverProbeProgram } from "./server_probe.ts";
import { serverWorkerProgram } from "./server_worker.ts";
import { shellInitProgram } from "./shell_init.ts";

/** Every program, in the order of help. */
export const PROGRAMS: readonly Program[] = [
  openProgram,
  approveProgram,
  denyProgram,
  serverOpenProgram,
  auditExport,
  agentpackProgram,
  mcpServe,
  mcpStart,
  serveShort,
  mcpTools,
  mcpConfig,
  configList,
  configGet,
  configSet,
  configUnset,
  configEdit,
  configPath,
  demoProgram,
  schemaProgram,
  completionsProgram,
  shellInitProgram,
  completeProgram,
  runWorkerProgram,
  serverProbeProgram,
  serverWorkerProgram,
];
