/**
 * `record` and `score`: the event log and failure rates (PACK-13).
 *
 * @module
 */

import { compareBytes } from "../bytes.ts";
import { AgentpackError } from "../error.ts";
import { withHomeLock } from "../engine/lock.ts";
import { homeOf } from "../identity/home.ts";
import { machineId } from "../identity/machine.ts";
import { posix, readUtf8, writeFile } from "../io.ts";
import type { Answer, Pack, Selection } from "../pack.ts";
import { formatSeconds } from "../time.ts";

/** `data` of `record`. */
export interface RecordData {
  readonly path: string;
  readonly path_posix: string;
  readonly recorded_at: string;
  readonly machine_id: string;
}

/** How a module fared. */
export interface ModuleScore {
  readonly module_id: string;
  readonly total: number;
  readonly failures: number;
  /** Failures divided by total. */
  readonly failure_rate: number;
  readonly last_seen_at: string | null;
}

/** `data` of `score`. */
export interface ScoreData {
  /** The worst first. */
  readonly modules: readonly ModuleScore[];
  readonly read_stats: {
    readonly lines: number;
    readonly blank: number;
    readonly malformed: number;
    readonly unsupported_version: number;
    readonly events: number;
  };
}

const SCHEMA_VERSION = 1;

type Json = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Json {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function firstOf<T>(
  event: Json,
  names: readonly string[],
  is: (value: unknown) => value is T,
): T | undefined {
  return names.map((name) => event[name]).find(is);
}

const isText = (value: unknown): value is string => typeof value === "string";
const isFlag = (value: unknown): value is boolean => typeof value === "boolean";
const isNumber = (value: unknown): value is number => typeof value === "number";

/** The members of an event that become members of its record. */
function promoted(event: unknown): Json {
  if (!isObject(event)) return {};
  const found: Json = {
    module_id: firstOf(event, ["module_id", "moduleId"], isText),
    success: firstOf(event, ["success", "ok", "successful"], isFlag),
    command_id: firstOf(event, ["command_id", "commandId"], isText),
    duration_ms: firstOf(event, ["duration_ms", "durationMs"], isNumber),
    git_rev: firstOf(event, ["git_rev", "gitRev"], isText),
    snapshot_id: firstOf(event, ["snapshot_id", "snapshotId"], isText),
    targets: targetsOf(event),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

function targetsOf(event: Json): readonly string[] | undefined {
  const { targets, target } = event;
  if (Array.isArray(targets)) return [...new Set(targets.filter(isText))].sort(compareBytes);
  return isText(target) ? [target] : undefined;
}

/** Appends an event, given as JSON text, to the log. Throws `E_USAGE` when it is no JSON. */
export async function record(
  pack: Pack,
  selection: Selection,
  options: { readonly event: string },
): Promise<Answer<RecordData>> {
  const { files, env, clock } = pack.system;
  const home = homeOf(env, selection.repo);
  let event: unknown;
  try {
    event = JSON.parse(options.event);
  } catch {
    throw new AgentpackError("E_USAGE", "The event on standard input is no JSON");
  }
  const recordedAt = formatSeconds(clock.now());
  const machine = machineId(env, selection.machine);
  const line = JSON.stringify({
    schema_version: SCHEMA_VERSION,
    recorded_at: recordedAt,
    machine_id: machine,
    ...promoted(event),
    event,
  });
  return await withHomeLock(pack.system, home, async (held) => {
    const before = await files.readText(home.events) ?? "";
    const whole = before === "" || before.endsWith("\n") ? before : `${before}\n`;
    await writeFile(files, home.events, `${whole}${line}\n`);
    return {
      data: {
        path: home.events,
        path_posix: posix(home.events),
        recorded_at: recordedAt,
        machine_id: machine,
      },
      warnings: held.warnings,
    };
  });
}

/** Failure rates by module; a record without success counts as one. */
export async function score(pack: Pack, selection: Selection): Promise<Answer<ScoreData>> {
  const home = homeOf(pack.system.env, selection.repo);
  const read = await readUtf8(pack.system.files, home.events);
  const text = read === null || read === "invalid" ? "" : read.text;
  const lines = text.split("\n").slice(0, text.endsWith("\n") ? -1 : undefined);
  const stats = { lines: 0, blank: 0, malformed: 0, unsupported_version: 0, events: 0 };
  const warnings: string[] = read === "invalid" ? [`"${home.events}" is not valid UTF-8`] : [];
  const scores = new Map<string, { total: number; failures: number; last: string | null }>();
  for (const [index, line] of (text === "" ? [] : lines).entries()) {
    stats.lines++;
    if (line.trim() === "") {
      stats.blank++;
      continue;
    }
    const entry = parseLine(line);
    if (entry === null) {
      stats.malformed++;
      warnings.push(`Line ${index + 1} of the event log is malformed and skipped`);
      continue;
    }
    if (entry["schema_version"] !== SCHEMA_VERSION) {
      stats.unsupported_version++;
      warnings.push(`Line ${index + 1} of the event log has another version and is skipped`);
      continue;
    }
    stats.events++;
    const id = entry["module_id"];
    if (!isText(id)) continue;
    const at = isText(entry["recorded_at"]) ? entry["recorded_at"] : null;
    const known = scores.get(id) ?? { total: 0, failures: 0, last: null };
    scores.set(id, {
      total: known.total + 1,
      failures: known.failures + (entry["success"] === false ? 1 : 0),
      last: at !== null && (known.last === null || at > known.last) ? at : known.last,
    });
  }
  const modules = [...scores].map(([id, { total, failures, last }]) => ({
    module_id: id,
    total,
    failures,
    failure_rate: failures / total,
    last_seen_at: last,
  })).sort((a, b) => b.failure_rate - a.failure_rate || compareBytes(a.module_id, b.module_id));
  return { data: { modules, read_stats: stats }, warnings };
}

function parseLine(line: string): Json | null {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
