/** How repositories come into the workspace of a ticket: where the branches of those that open begin, and the steps. */

import { join } from "@std/path";
import type { ExecuteContext } from "../../../contract/mod.ts";
import type { JournalStep } from "../../../state/store/mod.ts";
import type { ClonePlan } from "../../../workspace/tickets/changing.ts";
import { fetchRepo, Transfers } from "../../../workspace/clones/changing.ts";
import type { Manifest } from "../../../workspace/manifest/mod.ts";
import { dropBuilding, extendRecord, placeClones, reserveClones } from "../steps/add.ts";
import type { OpenedFact } from "./plan.ts";
import { createBranch } from "../steps/branch.ts";
import type { OwnWorkspace } from "../own_workspace.ts";
import type { carriedPlaces } from "../workspace/making.ts";
import { buildTicket, carryFiles, sealTicket } from "../steps/make_workspace.ts";

/** A repository that opens, with the commit at which its branch begins. */
export interface Opening extends OpenedFact {
  readonly directory: string;
  readonly start: string;
  readonly track: boolean;
  readonly mirror: string | null;
}

/** Fetches what is to be worked on, and finds where its branches begin. Throws what fetching throws. */
export async function openingsOf(
  ctx: ExecuteContext,
  { own, manifest, opened, offline }: {
    readonly own: OwnWorkspace;
    readonly manifest: Manifest;
    readonly opened: readonly OpenedFact[];
    readonly offline: boolean;
  },
): Promise<Opening[]> {
  const transfers = new Transfers(ctx.transfers);
  const tally = { begin: () => {} };
  const openings: Opening[] = [];
  for (const fact of opened) {
    const { name, path, branch, base, head } = fact;
    const repo = manifest.repos.find((entry) => entry.name === name);
    if (repo === undefined) throw new TypeError(`"${name}" has left the manifest`);
    const directory = join(own.directory, path);
    const mirror = own.record.repos[name]?.mirror ?? null;
    if (!offline) {
      const from = join(ctx.root, manifest.workspaceDir, repo.path);
      const bases = new Map(mirror === null ? [] : [[String(name), from]]);
      await fetchRepo(ctx, { transfers, tally, fresh: 60, bases }, repo, directory);
    }
    const refs = await ctx.git.at(directory, name).refs.peek([
      `refs/remotes/origin/${branch}`,
      `refs/remotes/origin/${base}`,
    ]);
    const theirs = refs.get(`refs/remotes/origin/${branch}`);
    const start = theirs ?? refs.get(`refs/remotes/origin/${base}`) ?? head;
    openings.push({ ...fact, directory, start, track: theirs !== undefined, mirror });
  }
  return openings;
}

/** The steps: `before` can be taken back, `after` is finished instead. */
export function addSteps(
  { directory, building, ticket, places, standalone }: {
    readonly directory: string;
    readonly building: string;
    readonly ticket: string;
    readonly places: ReturnType<typeof carriedPlaces>;
    readonly standalone: boolean;
  },
  clones: readonly ClonePlan[],
  openings: readonly Opening[],
): { readonly before: readonly JournalStep[]; readonly after: readonly JournalStep[] } {
  const lent = standalone ? clones.map((plan) => ({ ...plan, mirror: null })) : clones;
  const borrows = lent.flatMap(({ path, mirror }) => mirror === null ? [] : [{ path, mirror }]);
  const making = clones.length === 0 ? [] : [
    reserveClones.step({ directory, ticket, borrows }),
    buildTicket.step({ building, directory, ticket, clones, standalone }),
    ...(places.length === 0 ? [] : [carryFiles.step({ building, places })]),
  ];
  return {
    before: [
      ...making,
      ...openings.map(({ name, directory, from, head, branch, start, track }) =>
        createBranch.step({ repo: name, directory, from, head, branch, start, track })
      ),
      ...(clones.length === 0 ? [] : [placeClones.step({ directory, building, clones })]),
    ],
    after: [
      extendRecord.step({
        directory,
        ticket,
        repos: [
          ...lent,
          ...openings.map((opening) => ({ ...opening, role: "work" as const })),
        ].map(({ name, path, role, branch, base, mirror }) => ({
          name,
          path,
          role,
          branch,
          base,
          mirror,
        })),
      }),
      ...(clones.length === 0 ? [] : [
        sealTicket.step({ directory, clones: clones.map(({ path }) => path) }),
        dropBuilding.step({ building }),
      ]),
    ],
  };
}
