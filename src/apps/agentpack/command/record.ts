/** `record`: appends an event to the event log (PACK-13). */

import { type Fields, isObject } from "../../../base/object.ts";
import { compareBytes } from "../content.ts";
import { type Act, declare, type Look, members } from "../declare/command.ts";
import { shownPath } from "../declare/show.ts";
import { AgentpackError } from "../error.ts";
import { machineId } from "../identity.ts";
import { type Twins, withPosix, writeFile } from "../io.ts";
import type { Answer } from "../pack.ts";
import { formatSeconds } from "../names.ts";

/** The version of a record. */
export const SCHEMA_VERSION = 1;

/** Whether a value is a text. */
export const isText = (value: unknown): value is string => typeof value === "string";

/** `data` of `record`. */
export interface RecordData extends Twins<"path"> {
  readonly recorded_at: string;
  readonly machine_id: string;
}

function firstOf<T>(
  event: Fields,
  names: readonly string[],
  is: (value: unknown) => value is T,
): T | undefined {
  return names.map((name) => event[name]).find(is);
}

const isFlag = (value: unknown): value is boolean => typeof value === "boolean";

const isNumber = (value: unknown): value is number => typeof value === "number";

/** The members of an event that become members of its record. */
function promoted(event: unknown): Fields {
  if (!isObject(event)) return {};
  const found: Fields = {
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

function targetsOf(event: Fields): readonly string[] | undefined {
  const { targets, target } = event;
  if (Array.isArray(targets)) return [...new Set(targets.filter(isText))].sort(compareBytes);
  return isText(target) ? [target] : undefined;
}

/** An event that was given as JSON. Throws `E_USAGE` when it is not valid JSON. */
async function readEvent({ pack }: Look): Promise<{ readonly event: unknown }> {
  try {
    const input = ReadableStream.from(pack.system.terminal.input());
    return { event: JSON.parse(await new Response(input).text()) };
  } catch {
    throw new AgentpackError("E_USAGE", "The event on standard input is not valid JSON");
  }
}

async function append(
  { pack, selection, home }: Act,
  event: unknown,
): Promise<Answer<RecordData>> {
  const { files, env, clock } = pack.system;
  const recordedAt = formatSeconds(clock.now());
  const machine = machineId(env, selection.machine);
  const line = JSON.stringify({
    schema_version: SCHEMA_VERSION,
    recorded_at: recordedAt,
    machine_id: machine,
    ...promoted(event),
    event,
  });
  const before = await files.readText(home.events) ?? "";
  const whole = before === "" || before.endsWith("\n") ? before : `${before}\n`;
  await writeFile(files, home.events, `${whole}${line}\n`);
  return {
    data: {
      ...withPosix("path", home.events),
      recorded_at: recordedAt,
      machine_id: machine,
    },
    warnings: [],
  };
}

/** `record`. */
export const record = declare({
  path: ["record"],
  summary: "Append an event, read as JSON from standard input, to the event log.",
  options: {},
  examples: [`record --yes < event.json`],
  changes: { asks: "first" },
  prepare: readEvent,
  act: (call, _, { event }) => append(call, event),
  answers: members<RecordData>("path", "path_posix", "recorded_at", "machine_id"),
  render: ({ data }) => `Recorded in ${shownPath(data.path)}`,
});
