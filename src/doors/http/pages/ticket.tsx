/** The view of one ticket: its pull requests in the order to land, as their forges say (CHANGE-5). */

import type { ChangeRow } from "../../../commands/pr/rows.ts";
import type { ChangeSetData } from "../../../commands/pr/status.ts";
import { blockerWords } from "../../../commands/pr/verdict.ts";
import { Empty, Failure, type Html, State, Table } from "./parts.tsx";
import type { Reader } from "./reader.ts";
import type { Shown } from "./layout.tsx";

/** Forges are asked again after so many seconds while somebody looks. */
const AGAIN = 60;

/** Words for how checks stand, which have their colours. */
const CHECKS: Readonly<Record<string, string>> = {
  success: "passed",
  failure: "failed",
  pending: "pending",
};

function Change({ row }: { readonly row: ChangeRow }): Html {
  const { name, number, url, state, draft, title, base, checks, review, blocked_by } = row;
  return (
    <tr id={`change-${name}`} tabindex={-1}>
      <th scope="row" class="mono">{name}</th>
      <td>{url === null ? `#${number}` : <a href={url} rel="noreferrer">{`#${number}`}</a>}</td>
      <td>
        <State
          word={state === "open" && draft ? "draft" : state}
          tone={state === "merged" ? "good" : "quiet"}
        />
      </td>
      <td class="mono wide">{base}</td>
      <td>
        {checks.state === "none" ? null : <State word={CHECKS[checks.state] ?? checks.state} />}
      </td>
      <td class="wide">{review.state === "none" ? null : review.state.replaceAll("_", " ")}</td>
      <td>{blocked_by.map(blockerWords).join(", ")}</td>
      <td class="wide">{title}</td>
    </tr>
  );
}

function Changes({ data, ecosystem }: {
  readonly data: ChangeSetData;
  readonly ecosystem: string;
}): Html {
  const { change_set: set, repos, without } = data;
  if (repos.length === 0) {
    return (
      <Empty
        title="No pull requests yet"
        command={set.known ? `amof -e ${ecosystem} pr open ${set.ticket_id}` : undefined}
      />
    );
  }
  return (
    <>
      <p>
        <State
          word={set.state.replaceAll("_", " ")}
          tone={set.ready || set.state === "landed" ? "good" : "quiet"}
        />
      </p>
      <Table
        class="changes"
        caption="Pull requests in the order to land"
        columns={[
          "Repository",
          "Number",
          "State",
          ["Into", "wide"],
          "Checks",
          ["Review", "wide"],
          "Blocked by",
          ["Title", "wide"],
        ]}
      >
        {repos.map((row) => <Change row={row} />)}
      </Table>
      {without.length === 0 ? null : (
        <ul class="quiet">
          {without.map(({ name, reason }) => <li>{`${name}: ${reason}`}</li>)}
        </ul>
      )}
    </>
  );
}

/** The page of a ticket; with `live` its forges are asked before. */
export async function ticketPage(
  reader: Reader,
  { ecosystem, id, live }: {
    readonly ecosystem: string;
    readonly id: string;
    readonly live: boolean;
  },
): Promise<Shown> {
  const args = { ecosystem, ticket_id: id };
  const answer = live ? await reader.ask<ChangeSetData>("amof_pr_status", args) : null;
  const data = answer?.data ?? answer?.part ?? null;
  const failed = answer?.failed ?? null;
  return {
    title: id,
    active: "/ecosystems",
    live: { parts: ["ecosystems"], more: !live, again: AGAIN },
    status: data === null ? failed?.status : undefined,
    body: (
      <>
        <div class="heading">
          <h1>{id}</h1>
          <a class="aside" href={`/ecosystems/${encodeURIComponent(ecosystem)}`}>{ecosystem}</a>
        </div>
        <h2>Pull requests</h2>
        {answer === null ? <p class="quiet">asking their forges…</p> : null}
        {failed === null ? null : <Failure error={failed} />}
        {data === null ? null : <Changes data={data} ecosystem={ecosystem} />}
      </>
    ),
  };
}
