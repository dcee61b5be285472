/** Runs of undo for a line that is being typed: those it knows, and those that it can take back. */

import { join } from "@std/path";
import { timestamp } from "../../base/system/mod.ts";
import { layoutOf } from "../../base/system/layout.ts";
import { typedRunId, type Wing } from "../../runs/mod.ts";
import { scopeManifest, ticketDirectory } from "../../workspace/tickets/mod.ts";
import { overtakenBy, saidOf, whyNot } from "./find.ts";
import { type OperationRecord, operationsOf } from "./record.ts";

type Source = NonNullable<Wing["values"]>[string];
type Place = Parameters<Source>[0];
type Candidates = Awaited<ReturnType<Source>>;

async function recorded({ system, root, ecosystem, ticket }: Place): Promise<OperationRecord[]> {
  const at = await root();
  const manifest = await scopeManifest({ system, root: at, ecosystem: await ecosystem(), ticket });
  const directories = ticket === null
    ? [join(at, manifest.workspaceDir), at]
    : [ticketDirectory(at, manifest, ticket)];
  const real = await Promise.all(directories.map((each) => system.files.realPath(each)));
  return await operationsOf(
    system,
    layoutOf(system.env),
    ...directories,
    ...real.filter((each) => each !== null),
  );
}

function offered(
  record: OperationRecord,
  { all, typed }: { readonly all: readonly OperationRecord[]; readonly typed: string },
): Candidates[number] {
  return {
    value: typedRunId(record.run_id, typed),
    help: `${saidOf(record, all)}, ${timestamp(record.at)}`,
  };
}

/** The runs of a workspace that changed repositories, the newest first. */
export async function operations(place: Place, typed: string): Promise<Candidates> {
  const all = await recorded(place);
  return all.map((record) => offered(record, { all, typed }));
}

/** Those of them that can be undone, as far as records tell. */
export async function undoable(place: Place, typed: string): Promise<Candidates> {
  const all = await recorded(place);
  const now = place.system.clock.now();
  return all.filter((record) =>
    whyNot(record, all, now) === null && overtakenBy(record, all) === null
  ).map((record) => offered(record, { all, typed }));
}
