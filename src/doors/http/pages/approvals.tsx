/** The requests that wait for a person, and those of the last day (SIGN-3). */

import type { ApprovalsData } from "../../../commands/approvals.ts";
import { duration } from "../../../base/text/words.ts";
import { Empty, Failure, type Html, State, Table, Time } from "./parts.tsx";
import type { Reader } from "./reader.ts";
import type { Shown } from "./layout.tsx";

type Entry = ApprovalsData["approvals"][number];

function Waiting({ entry }: { readonly entry: Entry }): Html {
  return (
    <li class="card" id={`request-${entry.id}`}>
      <header>
        <h2>
          <a href={`/approvals/${entry.id}`}>{entry.summary}</a>
        </h2>
        <span class="quiet mono">{entry.id}</span>
      </header>
      <p class="quiet">
        {entry.requested_by} asks for {entry.tool}
        {entry.ecosystem === null ? "" : ` in ${entry.ecosystem}`}
        {entry.expires_in_s === null ? "" : `; ${duration(entry.expires_in_s)} left`}
      </p>
    </li>
  );
}

function Over({ entries }: { readonly entries: readonly Entry[] }): Html {
  return (
    <Table
      caption="Requests that no longer wait"
      columns={["Request", "What", "State", ["By", "wide"], ["Asked", "wide"]]}
    >
      {entries.map((entry) => (
        <tr id={`request-${entry.id}`} tabindex={-1}>
          <td class="mono">
            <a href={`/approvals/${entry.id}`}>{entry.id}</a>
          </td>
          <td>{entry.summary}</td>
          <td>
            <State word={entry.outcome ?? entry.status} />
          </td>
          <td class="wide">{entry.decided_by ?? ""}</td>
          <td class="wide quiet">
            <Time iso={entry.created_at} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

/** The page of all requests. */
export async function approvalsPage(reader: Reader): Promise<Shown> {
  const { data, failed } = await reader.ask<ApprovalsData>("amof_approvals", {
    all: true,
    limit: 200,
  });
  const all = data?.approvals ?? [];
  const waiting = all.filter(({ status }) => status === "pending");
  const over = all.filter(({ status }) => status !== "pending");
  return {
    title: "Approvals",
    active: "/approvals",
    status: failed?.status,
    live: { parts: ["approvals"] },
    body: (
      <>
        <h1>Approvals</h1>
        {failed === undefined ? null : <Failure error={failed} />}
        {failed !== undefined || waiting.length > 0
          ? (
            <ul class="cards">
              {waiting.map((entry) => <Waiting entry={entry} />)}
            </ul>
          )
          : (
            <Empty title="Nothing waits for you">
              <p class="quiet">
                Requests appear here when a program whose server asks a person (--confirm human)
                wants to change something.
              </p>
            </Empty>
          )}
        {over.length === 0 ? null : (
          <>
            <h2>Decided or over</h2>
            <Over entries={over} />
          </>
        )}
      </>
    ),
  };
}
