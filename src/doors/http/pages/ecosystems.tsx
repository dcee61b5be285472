/** The view of all ecosystems: how each stands, with the repositories that need attention. */

import type { EcosystemList } from "../../../commands/ecosystem/list.ts";
import { count } from "../../../base/text/words.ts";
import type { Answered, Looks, Reader } from "./reader.ts";
import { Empty, Failure, type Html, State } from "./parts.tsx";
import { byTrouble, Counts, isTrouble, type RepoLine, RepoTable } from "./repos.tsx";
import type { Shown } from "./layout.tsx";

/** So many rows of an ecosystem are shown here; the others are on its own page. */
const ROWS = 8;

/** Beyond so many ecosystems only their counts are shown until somebody opens one. */
const LOOKED_AT = 20;

type Listed = EcosystemList["ecosystems"][number];

function linesOf(listed: Listed, looks: Looks): readonly RepoLine[] {
  const rows = looks.known(listed.name)?.answer.data?.repos ?? [];
  const byName = new Map(rows.map((row) => [row.name, row]));
  return listed.repos.map((name) => {
    const row = byName.get(name) ?? null;
    return { name, expected: "", readonly: row?.mode === "RO", row };
  });
}

function Rows({ listed, looks }: { readonly listed: Listed; readonly looks: Looks }): Html {
  const lines = byTrouble(linesOf(listed, looks));
  const shown = lines.slice(0, ROWS);
  const rest = lines.slice(ROWS);
  const trouble = rest.filter(isTrouble).length;
  return (
    <>
      <RepoTable
        lines={shown}
        prefix={null}
        caption={`Repositories of ${listed.name}, what needs attention first`}
      />
      {rest.length === 0 ? null : (
        <p class="more">
          <a href={`/ecosystems/${encodeURIComponent(listed.name)}`}>
            {`${rest.length} more`}
            <span class="unseen">{` of ${listed.name}`}</span>
          </a>
          {trouble > 0 ? `, ${trouble} of them to look at` : ""}
        </p>
      )}
    </>
  );
}

function Card({ listed, looks }: { readonly listed: Listed; readonly looks: Looks }): Html {
  const look = looks.known(listed.name);
  const workspace = look?.answer.data?.workspace;
  const ticket = workspace?.active_ticket ?? null;
  return (
    <section class="card" id={`ecosystem-${listed.name}`}>
      <header>
        <h2>
          <a href={`/ecosystems/${encodeURIComponent(listed.name)}`}>{listed.name}</a>
        </h2>
        <span class="quiet">{count(listed.repos_count, "repo")}</span>
        {listed.valid ? null : <State word="invalid" />}
        {listed.retired ? <span class="quiet">retired</span> : null}
        {ticket === null ? null : (
          <span>
            ticket <span class="mono">{ticket}</span>
          </span>
        )}
        {listed.active_tasks > 0
          ? (
            <a href={`/runs?ecosystem=${encodeURIComponent(listed.name)}&status=running`}>
              <State word="running" /> {count(listed.active_tasks, "run")}
            </a>
          )
          : null}
        <Counts lines={linesOf(listed, looks)} />
      </header>
      {listed.description === "" ? null : <p class="quiet">{listed.description}</p>}
      {!listed.valid
        ? (
          <Empty
            title="Its manifest cannot be read"
            command={`amof manifest validate ${listed.name}`}
          />
        )
        : !listed.installed
        ? <Empty title="Not installed here" command={`amof -e ${listed.name} install`} />
        : look?.answer.failed !== undefined
        ? <Failure error={look.answer.failed} />
        : listed.repos_count === 0
        ? (
          <Empty
            title="No repositories yet"
            command={`amof -e ${listed.name} repo add NAME URL`}
          />
        )
        : <Rows listed={listed} looks={looks} />}
    </section>
  );
}

function body(answer: Answered<EcosystemList>, looks: Looks): Html {
  if (answer.data === null) return <Failure error={answer.failed} />;
  const { ecosystems } = answer.data;
  if (ecosystems.length === 0) {
    return (
      <Empty title="No ecosystems yet" command="amof ecosystem create shop --repo api=URL@main">
        <p>An ecosystem is a manifest in this control repository that names its repositories.</p>
      </Empty>
    );
  }
  return <>{ecosystems.map((listed) => <Card listed={listed} looks={looks} />)}</>;
}

/** The page; with `live` every workspace is looked at before. */
export async function ecosystemsPage(
  reader: Reader,
  looks: Looks,
  live: boolean,
): Promise<Shown> {
  const answer = await reader.ask<EcosystemList>("amof_list_ecosystems");
  const installed = (answer.data?.ecosystems ?? []).filter((each) => each.valid && each.installed)
    .slice(0, LOOKED_AT);
  if (live) await Promise.all(installed.map(({ name }) => looks.now(name)));
  return {
    title: "Ecosystems",
    active: "/ecosystems",
    status: answer.failed?.status,
    live: { parts: ["ecosystems", "runs"], more: installed.length > 0 && !live, again: 15 },
    body: (
      <>
        <h1>Ecosystems</h1>
        {body(answer, looks)}
      </>
    ),
  };
}
