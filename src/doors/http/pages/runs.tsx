/** The view of all runs, with filters. */

import type { EcosystemList } from "../../../commands/ecosystem/list.ts";
import type { ListData } from "../../../commands/runs/list.ts";
import { STATUSES } from "../../../state/store/mod.ts";
import { Choice, Empty, Failure, Field, Filters, type Html, RunTable } from "./parts.tsx";
import type { Answered, Reader } from "./reader.ts";
import type { Shown } from "./layout.tsx";

/** So many are shown at first, and so many more with each step. */
const STEP = 50;
/** The most that one page shows. */
const MOST = 200;

interface RunsWish {
  readonly ecosystem: string;
  readonly status: string;
  readonly action: string;
  readonly limit: number;
}

function addressOf({ ecosystem, status, action }: RunsWish, limit: number): string {
  return `/runs?${new URLSearchParams({ ecosystem, status, action, limit: String(limit) })}`;
}

function List(
  { answer, wish, now }: {
    readonly answer: Answered<ListData>;
    readonly wish: RunsWish;
    readonly now: number;
  },
): Html {
  if (answer.data === null) return <Failure error={answer.failed} />;
  const { runs } = answer.data;
  if (runs.length > 0) {
    return (
      <>
        <RunTable runs={runs} now={now} among />
        {runs.length < wish.limit || wish.limit >= MOST ? null : (
          <p class="more">
            <a href={addressOf(wish, Math.min(MOST, wish.limit + STEP))}>Older runs</a>
          </p>
        )}
      </>
    );
  }
  return wish.ecosystem === "" && wish.status === "" && wish.action === ""
    ? <Empty title="No runs yet" command="amof install" />
    : (
      <Empty title="No run matches">
        <p>
          <a href="/runs">Show all</a>
        </p>
      </Empty>
    );
}

/** The page. */
export async function runsPage(reader: Reader, wish: RunsWish): Promise<Shown> {
  const { ecosystem, status, action } = wish;
  const limit = Math.min(MOST, Math.max(1, Math.trunc(wish.limit) || STEP));
  const [answer, ecosystems] = await Promise.all([
    reader.ask<ListData>("amof_list_runs", {
      limit,
      ...(ecosystem === "" ? {} : { ecosystem }),
      ...(status === "" ? {} : { status }),
      ...(action === "" ? {} : { action }),
    }),
    reader.ask<EcosystemList>("amof_list_ecosystems", { include_retired: true }),
  ]);
  const names = (ecosystems.data?.ecosystems ?? []).map(({ name }) => name);
  return {
    title: "Runs",
    active: "/runs",
    status: answer.failed?.status,
    live: { parts: ["runs"] },
    body: (
      <>
        <h1>Runs</h1>
        <Filters action="/runs">
          <Choice label="State" name="status" value={status} options={STATUSES} all="any" />
          <Choice label="Ecosystem" name="ecosystem" value={ecosystem} options={names} all="all" />
          <Field label="Action" name="action" value={action} hint="push" />
        </Filters>
        <List answer={answer} wish={{ ...wish, limit }} now={reader.now()} />
      </>
    ),
  };
}
