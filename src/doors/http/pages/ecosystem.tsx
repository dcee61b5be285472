/** The view of one ecosystem: every repository, its filters, its workspace, its latest runs. */

import type { Described } from "../../../commands/ecosystem/describe.ts";
import type { StatusData } from "../../../commands/status/view.ts";
import type { ListData } from "../../../commands/runs/list.ts";
import { fits } from "../../../base/text/wildcard.ts";
import { count } from "../../../base/text/words.ts";
import type { Look, Looks, Reader } from "./reader.ts";
import {
  Choice,
  CommandLine,
  Empty,
  Facts,
  Failure,
  Field,
  Filters,
  type Html,
  RunTable,
  State,
  Table,
  Time,
} from "./parts.tsx";
import { byTrouble, Counts, isTrouble, type RepoLine, RepoTable } from "./repos.tsx";
import { failedPage, type Shown } from "./layout.tsx";
import type { ListData as TicketList, ListedTicket } from "../../../commands/ticket/list/view.ts";

/** How a repository of a ticket stands: only what is worth a look, as `web (dirty)`. */
function standing({ repos, states }: ListedTicket): readonly Html[] {
  return Object.keys(repos).map((name) => {
    const state = states?.[name] ?? "ok";
    return (
      <>
        <span class="mono">{name}</span>{" "}
        {["ok", "there"].includes(state) ? null : <State word={state} />}
        {" "}
      </>
    );
  });
}

/** "20000–20019"; nothing for a ticket of the base workspace. */
function portsOf({ ports }: ListedTicket): string {
  return ports === undefined ? "" : `${ports.port_base}–${ports.port_base + ports.port_count - 1}`;
}

/** The rows as a table. */
function TicketTable({ tickets, ecosystem }: {
  readonly tickets: readonly ListedTicket[];
  readonly ecosystem: string;
}): Html {
  const pages = `/ecosystems/${encodeURIComponent(ecosystem)}/tickets`;
  return (
    <Table
      class="tickets"
      caption="Tickets that are worked on"
      columns={["Ticket", "Repositories", ["Workspace", "wide"], ["Ports", "wide"], "At work"]}
    >
      {tickets.map((ticket) => (
        <tr id={`ticket-${ticket.ticket_id}`} tabindex={-1}>
          <th scope="row" class="mono">
            <a href={`${pages}/${encodeURIComponent(ticket.ticket_id)}`}>{ticket.ticket_id}</a>
          </th>
          <td>
            {ticket.problem === null ? standing(ticket) : <State word="unreadable" tone="bad" />}
          </td>
          <td class="mono wide">
            {ticket.workspace ?? (ticket.active ? "base, active" : "base")}
          </td>
          <td class="mono wide">{portsOf(ticket)}</td>
          <td>
            {ticket.agent === undefined ? null : (
              <>
                <a class="mono" href={`/runs/${ticket.agent.run_id}`}>
                  {ticket.agent.run_id.slice(0, 8)}
                </a>{" "}
                since <Time iso={ticket.agent.since} />
              </>
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}

/** So many of its runs are shown. */
const RUNS = 5;

const TROUBLE = "needs attention";

/** What the address says besides the name. */
interface EcosystemWish {
  readonly name: string;
  /** Only repositories with this in their name; `*` stands for anything. */
  readonly repo: string;
  /** Only those that need attention, or all. */
  readonly show: string;
  readonly live: boolean;
}

function linesOf(described: Described, status: StatusData | null): readonly RepoLine[] {
  const byName = new Map(status?.repos.map((row) => [row.name, row]) ?? []);
  return described.repos.filter(({ enabled }) => enabled).map((repo) => ({
    name: repo.name,
    expected: repo.branch,
    readonly: repo.readonly,
    row: byName.get(repo.name) ?? null,
  }));
}

function matching(lines: readonly RepoLine[], { repo, show }: EcosystemWish): readonly RepoLine[] {
  const wanted = repo.trim();
  const pattern = wanted.includes("*") ? wanted : `*${wanted}*`;
  return byTrouble(lines)
    .filter((line) => wanted === "" || fits(pattern.toLowerCase(), line.name.toLowerCase()))
    .filter((line) => show !== TROUBLE || line.row === null || isTrouble(line));
}

/** What the workspace as a whole says: runs, warnings, what was interrupted. */
function Notices({ status }: { readonly status: StatusData | null }): Html {
  const { running, warnings = [], unfinished = [] } = status ?? {};
  return (
    <>
      {running === undefined ? null : (
        <p class="notice">
          <State word="running" /> <a href={`/runs/${running.run_id}`}>{running.action}</a> since
          {" "}
          <Time iso={running.created_at} />
        </p>
      )}
      {warnings.map((warning) => (
        <p class="notice">
          <State word="warning" /> {warning}
        </p>
      ))}
      {unfinished.map(({ action }) => (
        <div class="notice">
          <State word="interrupted" /> {action} was cut off; settle it:
          <CommandLine line="amof doctor --repair" />
        </div>
      ))}
    </>
  );
}

function Workspace(
  { described, look, wish }: {
    readonly described: Described;
    readonly look: Look | null;
    readonly wish: EcosystemWish;
  },
): Html {
  if (described.repos_count === 0) {
    return (
      <Empty
        title="No repositories yet"
        command={`amof -e ${described.name} repo add NAME URL`}
      />
    );
  }
  const failed = look?.answer.failed;
  const lines = linesOf(described, look?.answer.data ?? null);
  const shown = matching(lines, wish);
  return (
    <>
      {described.installed
        ? null
        : <Empty title="Not installed here" command={`amof -e ${described.name} install`} />}
      {failed === undefined || !described.installed ? null : <Failure error={failed} />}
      <Notices status={look?.answer.data ?? null} />
      <Filters action={`/ecosystems/${encodeURIComponent(described.name)}`}>
        <Field label="Repository" name="repo" value={wish.repo} hint="api, svc-*" />
        <Choice label="Show" name="show" value={wish.show} options={[TROUBLE]} all="all" />
      </Filters>
      {shown.length === 0
        ? (
          <Empty
            title="No repository matches"
            all={`/ecosystems/${encodeURIComponent(described.name)}`}
          />
        )
        : (
          <RepoTable
            lines={shown}
            prefix={described.branch_prefix}
            caption={`Repositories of ${described.name}, what needs attention first`}
          />
        )}
    </>
  );
}

/** The oldest moment at which something was fetched; null where nothing tells. */
function oldestFetch(status: StatusData | null): string | null {
  return status?.repos.map((row) => row.fetched_at).filter((at) => at !== null).sort()[0] ?? null;
}

/** The page of an ecosystem; with `live` its workspace is looked at before. */
export async function ecosystemPage(
  reader: Reader,
  looks: Looks,
  wish: EcosystemWish,
): Promise<Shown> {
  const { name } = wish;
  const [described, runs] = await Promise.all([
    reader.ask<Described>("amof_describe_ecosystem", { ecosystem: name }),
    reader.ask<ListData>("amof_list_runs", { ecosystem: name, limit: RUNS }),
  ]);
  if (described.data === null) {
    return failedPage("/ecosystems", "Ecosystem", described.failed, name);
  }
  const { data } = described;
  // The active ticket of the base workspace is looked at by git, so that its page comes first (PAGE-2).
  const tickets = data.installed && !wish.live
    ? []
    : (await reader.ask<TicketList>("amof_ticket_list", { ecosystem: name })).data?.tickets ?? [];
  const look = !data.installed ? null : wish.live ? await looks.now(name) : looks.known(name);
  const status = look?.answer.data ?? null;
  return {
    title: name,
    active: "/ecosystems",
    live: { parts: ["ecosystems", "runs"], more: data.installed && !wish.live, again: 10 },
    body: (
      <>
        <div class="heading">
          <h1>{name}</h1>
          <span class="quiet">{count(data.repos_count, "repo")}</span>
          <Counts lines={linesOf(data, status)} />
        </div>
        {data.description === "" ? null : <p class="quiet">{data.description}</p>}
        <Facts
          rows={[
            ["Ticket", status?.workspace.active_ticket ?? (data.installed ? "none" : null)],
            ["Workspace", <span class="mono">{data.worktree}</span>],
            ["Oldest fetch", <Time iso={oldestFetch(status)} />],
            ["Provisioner", data.provisioner],
          ]}
        />
        <Workspace described={data} look={look} wish={wish} />
        {tickets.length === 0 ? null : (
          <>
            <h2>Tickets</h2>
            <TicketTable tickets={tickets} ecosystem={name} />
          </>
        )}
        <h2>
          Latest runs{" "}
          <a class="aside" href={`/runs?ecosystem=${encodeURIComponent(name)}`}>all runs</a>
        </h2>
        {(runs.data?.runs.length ?? 0) === 0
          ? <p class="quiet">None yet.</p>
          : <RunTable runs={runs.data?.runs ?? []} now={reader.now()} among={false} />}
      </>
    ),
  };
}
