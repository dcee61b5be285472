/** The steps that make the workspace of a ticket out of clones that are planned (TICKET-12). */

import { basename, dirname, join } from "@std/path";
import type { ExecuteContext } from "../../../contract/mod.ts";
import type { JournalStep } from "../../../state/store/mod.ts";
import type { ClonePlan } from "../../../workspace/tickets/changing.ts";
import { hideTickets, makeDirectories, missingAbove } from "../../../workspace/changing.ts";
import type { CarriedFact } from "../steps/carried.ts";
import {
  buildTicket,
  carryFiles,
  placeTicket,
  reserveTicket,
  sealTicket,
  writeRecord,
} from "../steps/make_workspace.ts";
import { type BasePlace, carryPlaces } from "./plan.ts";

interface Making {
  readonly ticket: string;
  /** Where it will be, absolute. */
  readonly directory: string;
  readonly created_at: string;
  readonly clones: readonly ClonePlan[];
  /** Whether the clones borrow nothing. */
  readonly standalone: boolean;
  /** The ignored files that go along. */
  readonly carried: readonly CarriedFact[];
}

/** The steps in their three parts: what comes between the parts finds all clones, and no record yet. */
interface MakingSteps {
  /** Where the ticket is made, beside its place, absolute. */
  readonly building: string;
  /** Makes the clones aside. */
  readonly make: readonly JournalStep[];
  /** Writes down what they are. */
  readonly record: JournalStep;
  /** Puts all of it at its place. */
  readonly publish: readonly JournalStep[];
}

/** A hidden neighbour of the place of a ticket, in which it is made. */
export function buildingBeside({ system }: Pick<ExecuteContext, "system">, place: string): string {
  return join(dirname(place), `.${basename(place)}.amof-new-${system.ids.hex(8)}`);
}

/** What is carried into each clone, and from where. */
export function carriedPlaces(
  base: BasePlace,
  carried: readonly Pick<CarriedFact, "repo">[],
  clones: readonly Pick<ClonePlan, "name" | "path">[],
): (ReturnType<typeof carryPlaces>[number] & { readonly path: string })[] {
  const named = new Set(carried.map(({ repo }) => repo));
  const paths = new Map(clones.map(({ name, path }) => [name, path]));
  return carryPlaces(base, clones.filter(({ name }) => named.has(name))).flatMap((place) => {
    const path = paths.get(place.name);
    return path === undefined ? [] : [{ ...place, path }];
  });
}

/** The steps that make a workspace. At most one git process. */
export async function makingSteps(
  ctx: ExecuteContext,
  base: BasePlace,
  { ticket, directory, created_at, clones, standalone, carried }: Making,
): Promise<MakingSteps> {
  const building = buildingBeside(ctx, directory);
  const missing = await missingAbove(ctx, directory);
  const places = carriedPlaces(base, carried, clones);
  const lent = standalone ? clones.map((plan) => ({ ...plan, mirror: null })) : clones;
  const record = {
    ticket_id: ticket,
    ecosystem: ctx.ecosystem,
    created_at,
    phase: "started" as const,
    clones: lent,
  };
  return {
    building,
    make: [
      ...await hideTickets(ctx, base.manifest),
      ...(missing.length === 0 ? [] : [makeDirectories.step({ paths: missing })]),
      reserveTicket.step({
        directory,
        ticket,
        borrows: lent.flatMap(({ path, mirror }) => mirror === null ? [] : [{ path, mirror }]),
      }),
      buildTicket.step({ building, directory, ticket, clones, standalone }),
      ...(places.length === 0 ? [] : [carryFiles.step({ building, places })]),
    ],
    record: writeRecord.step({ directory, building, record }),
    publish: [
      placeTicket.step({ directory, building }),
      sealTicket.step({ directory, clones: clones.map(({ path }) => path) }),
    ],
  };
}
