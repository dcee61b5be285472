/** The view of the audit log: who asked for what, who decided, and what became of it. */

import { DOORS } from "../../../base/policy/mode.ts";
import type { AuditData } from "../../../commands/audit/audit.ts";
import { type Decision, DECISIONS, WAYS } from "../../../state/store/mod.ts";
import type { Tone } from "../../../base/text/tone.ts";
import {
  Choice,
  Empty,
  Facts,
  Failure,
  Field,
  Filters,
  type Html,
  State,
  Table,
  Time,
} from "./parts.tsx";
import type { Answered, Reader } from "./reader.ts";
import type { Shown } from "./layout.tsx";

/** So many entries are on a page. */
const ENTRIES = 50;

/** The filters, by the names that `amof audit` has for them. */
const FILTERS = [
  "since",
  "until",
  "ecosystem",
  "tool",
  "client",
  "door",
  "decision",
  "way",
  "run",
] as const;

/** What the address says: filters, and the entry before which the page begins. */
type AuditWish = Readonly<Record<typeof FILTERS[number] | "before", string>>;

/** Takes a wish out of an address. */
export function auditWish(query: (name: string) => string | undefined): AuditWish {
  const names = [...FILTERS, "before"] as const;
  return Object.fromEntries(names.map((name) => [name, query(name) ?? ""])) as AuditWish;
}

/** How decisions stand: done, kept from happening, wrong. */
const TONES: Readonly<Partial<Record<Decision, Tone>>> = {
  accepted: "good",
  executed: "good",
  allowed: "good",
  declined: "attention",
  cancelled: "attention",
  timed_out: "attention",
  refused_mode: "attention",
  refused_trust: "attention",
  wrong_name: "bad",
  confirmation_invalid: "bad",
  confirmation_stale: "attention",
  ask_failed: "bad",
  failed: "bad",
};

function toneOf(decision: string): Tone {
  return TONES[decision as Decision] ?? "quiet";
}

function Entry({ entry }: { readonly entry: AuditData["entries"][number] }): Html {
  const args = JSON.stringify(entry.args, null, 1) ?? "";
  return (
    <tr id={`entry-${entry.id}`} tabindex={-1}>
      <th scope="row" class="number mono">{entry.id}</th>
      <td>
        <Time iso={entry.at} />
      </td>
      <td class="words">
        <details id={`args-${entry.id}`}>
          <summary>
            <span class="mono">{entry.tool.replace(/^amof_/, "")}</span>
            {entry.ecosystem === null
              ? null
              : <span class="quiet">{` of ${entry.ecosystem}`}</span>}
          </summary>
          <Facts
            rows={[
              ["Mode", entry.mode],
              ["Door", entry.door],
              ["Outcome", entry.outcome],
              ["Preview", entry.preview_hash && <span class="mono">{entry.preview_hash}</span>],
            ]}
          />
          <pre>{args}</pre>
        </details>
      </td>
      <td class="states">
        <State word={entry.decision} tone={toneOf(entry.decision)} />
        {entry.way === "none" ? null : <span class="why">by {entry.way}</span>}
      </td>
      <td class="wide words">{entry.client}</td>
      <td class="wide">
        {entry.run_id === null
          ? null
          : entry.run_status === null
          ? <span class="quiet mono">{entry.run_id.slice(0, 8)}</span>
          : (
            <>
              <a class="mono" href={`/runs/${entry.run_id}`}>{entry.run_id.slice(0, 8)}</a>{" "}
              <State word={entry.run_status} />
            </>
          )}
      </td>
    </tr>
  );
}

function List(
  { answer, wish }: { readonly answer: Answered<AuditData>; readonly wish: AuditWish },
): Html {
  if (answer.data === null) return <Failure error={answer.failed} />;
  const { entries, next_before: next } = answer.data;
  const filtered = Object.values(wish).some((value) => value !== "");
  if (entries.length === 0) {
    return filtered
      ? <Empty title="No entry matches" all="/audit" />
      : (
        <Empty title="Nothing was decided yet" command="amof push --dry-run">
          <p>Entries appear when something could have been changed.</p>
        </Empty>
      );
  }
  const set = Object.entries(wish).filter(([name, value]) => value !== "" && name !== "before");
  const older = new URLSearchParams([...set, ["before", String(next)]]);
  return (
    <>
      <Table
        class="audit"
        caption="Decisions, newest first"
        columns={[["No.", "number"], "When", "What", "Decision", ["Asked by", "wide"], [
          "Run",
          "wide",
        ]]}
      >
        {entries.map((entry) => <Entry entry={entry} />)}
      </Table>
      <p class="more">
        {wish.before === "" ? null : <a href={`/audit?${new URLSearchParams(set)}`}>Newest</a>}
        {next === null ? null : <a href={`/audit?${older}`}>Older</a>}
      </p>
    </>
  );
}

/** The page. */
export async function auditPage(reader: Reader, wish: AuditWish): Promise<Shown> {
  const { before, ...filters } = wish;
  const answer = await reader.ask<AuditData>("amof_audit", {
    limit: ENTRIES,
    ...Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== "")),
    ...(before === "" ? {} : { before: Number(before) }),
  });
  return {
    title: "Audit",
    active: "/audit",
    status: answer.failed?.status,
    live: { parts: ["audit", "runs"] },
    body: (
      <>
        <h1>Audit</h1>
        <Filters action="/audit">
          <Field label="Tool" name="tool" value={wish.tool} hint="push" />
          <Choice
            label="Decision"
            name="decision"
            value={wish.decision}
            options={DECISIONS}
            all="any"
          />
          <Choice label="Way" name="way" value={wish.way} options={WAYS} all="any" />
          <Choice label="Door" name="door" value={wish.door} options={DOORS} all="any" />
          <Field label="Asked by" name="client" value={wish.client} hint="claude" />
          <Field label="Ecosystem" name="ecosystem" value={wish.ecosystem} />
          <Field label="Since" name="since" value={wish.since} hint="24h, 2026-03-02" />
        </Filters>
        <List answer={answer} wish={wish} />
      </>
    ),
  };
}
