/**
 * Which machine this is, for machine overlays and the event log (PACK-12).
 *
 * @module
 */

import type { Environment } from "../../../base/system/mod.ts";

const SOURCES = ["AGENTPACK_MACHINE_ID", "HOSTNAME", "COMPUTERNAME"];

/**
 * Lower case, with one `-` for each run of characters that are neither ASCII letters, digits, `-` nor `_`;
 * empty when nothing is left.
 */
export function normalizeMachineId(text: string): string {
  let id = "";
  for (const char of text.trim().toLowerCase()) {
    if (/^[a-z0-9_-]$/.test(char)) id += char;
    else if (!id.endsWith("-")) id += "-";
  }
  return id.replace(/^-+|-+$/g, "");
}

/** The id of this machine; a given one wins unless nothing is left of it. */
export function machineId(env: Environment, given?: string): string {
  const candidates = [given, ...SOURCES.map((name) => env.get(name))];
  for (const candidate of candidates) {
    const id = normalizeMachineId(candidate ?? "");
    if (id !== "") return id;
  }
  return normalizeMachineId(env.hostname() ?? "") || "unknown";
}
