/** The pieces that pages are built of. Whatever others wrote is text in them, never markup: JSX escapes it. */

import type { Child } from "hono/jsx";
import type { HtmlEscapedString } from "hono/utils/html";
import { type Tone, toneOfWord } from "../../../base/text/tone.ts";
import { localTime } from "../../../base/text/moment.ts";
import { duration } from "../../../base/text/words.ts";
import type { RunSummary } from "../../../runs/mod.ts";

/** A piece of a page. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/** The mark of each tone, because a colour alone tells nothing to many (PAGE-4). */
const MARKS: Readonly<Record<Tone, string>> = {
  good: "✓",
  attention: "!",
  bad: "✗",
  quiet: "·",
};

/** Words of states that go on, which have a mark of their own. */
const GOING_ON: readonly string[] = ["running", "queued", "paused", "pending"];

/** One word that tells a state, with its mark and its colour. */
export function State({ word, tone }: { readonly word: string; readonly tone?: Tone }): Html {
  const shown = tone ?? toneOfWord(word) ?? "quiet";
  const mark = GOING_ON.includes(word.toLowerCase()) ? "●" : MARKS[shown];
  return (
    <span class={`state ${shown}`}>
      <span aria-hidden="true" class="mark">{mark}</span>
      {word}
    </span>
  );
}

/** Nothing to show: why, a command that changes it, and where all there is would be shown. */
export function Empty(
  { title, command, all, children }: {
    readonly title: string;
    readonly command?: string | undefined;
    readonly all?: string;
    readonly children?: Child;
  },
): Html {
  return (
    <div class="empty">
      <p class="title">{title}</p>
      {children}
      {all === undefined ? null : (
        <p>
          <a href={all}>Show all</a>
        </p>
      )}
      {command === undefined ? null : <CommandLine line={command} />}
    </div>
  );
}

/** Something that failed: what, and what to do about it. */
export function Failure({ error }: { readonly error: Failed }): Html {
  return (
    <div class="failure" role="alert">
      <p class="title">
        <State word="error" /> {error.message}
      </p>
      {error.hint === null ? null : <p class="hint">{error.hint}</p>}
      <p class="quiet mono">{error.code}</p>
    </div>
  );
}

/** An error as pages show it. */
export interface Failed {
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
  /** The status of an answer that consists of it. */
  readonly status: number;
}

/** A line to paste into a terminal. */
export function CommandLine({ line }: { readonly line: string }): Html {
  return (
    <p class="command">
      <code>{line}</code>
    </p>
  );
}

/** A moment in the time zone of this machine. */
export function Time({ iso }: { readonly iso: string | null }): Html {
  if (iso === null || iso === "") return <span class="quiet">–</span>;
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return <time datetime={iso}>{iso}</time>;
  // Breaks between day and hour, and nowhere else.
  const [day = "", hour = ""] = localTime(at).split(" ");
  return (
    <time datetime={iso}>
      <span class="whole">{day}</span> <span class="whole">{hour}</span>
    </time>
  );
}

/** How long something took; a dash where that is not known. */
export function Duration({ seconds }: { readonly seconds: number | null }): Html {
  return seconds === null ? <span class="quiet">–</span> : <>{duration(seconds)}</>;
}

/** The share of a whole as a bar; what it says stands beside it as text. */
export function Bar(
  { share, tone }: { readonly share: number; readonly tone: Tone },
): Html {
  const width = Math.round(Math.min(1, Math.max(0, share)) * 1000) / 10;
  return (
    <svg class={`bar ${tone}`} viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      <rect class="ground" width="100" height="8" />
      <rect class="share" width={Math.max(width, 0.8)} height="8" />
    </svg>
  );
}

/** Names with their values, as a list of terms. Members without a value are left out. */
export function Facts(
  { rows }: { readonly rows: readonly (readonly [string, Child | null])[] },
): Html {
  return (
    <dl class="facts">
      {rows.filter(([, value]) => value !== null && value !== "").map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A choice of a filter; the empty value stands for all. */
export function Choice(
  { label, name, value, options, all }: {
    readonly label: string;
    readonly name: string;
    readonly value: string;
    readonly options: readonly string[];
    readonly all: string;
  },
): Html {
  return (
    <label>
      <span>{label}</span>
      <select name={name}>
        <option value="" selected={value === ""}>{all}</option>
        {options.map((option) => (
          <option value={option} selected={option === value}>{option}</option>
        ))}
      </select>
    </label>
  );
}

/** A field of a filter. */
export function Field(
  { label, name, value, hint }: {
    readonly label: string;
    readonly name: string;
    readonly value: string;
    readonly hint?: string;
  },
): Html {
  return (
    <label>
      <span>{label}</span>
      <input type="search" name={name} value={value} placeholder={hint} autocomplete="off" />
    </label>
  );
}

/** The filters of a list. Without the script a button applies them. */
export function Filters(
  { action, children }: { readonly action: string; readonly children: Child },
): Html {
  return (
    <form class="filters" action={action} role="search">
      {children}
      <button type="submit">Apply</button>
    </form>
  );
}

/** The head of a column: its label, and its class where it has one. Null for a column that is left out. */
type Head = string | null | readonly [label: Child, of?: string];

/** A table of rows; the caption is for those who hear it. */
export function Table(
  { class: of, caption, columns, children }: {
    readonly class?: string;
    readonly caption: string;
    readonly columns: readonly Head[];
    readonly children: Child;
  },
): Html {
  return (
    <table class={of}>
      <caption class="unseen">{caption}</caption>
      <thead>
        <tr>
          {columns.map((column) =>
            column === null
              ? null
              : typeof column === "string"
              ? <th scope="col">{column}</th>
              : <th scope="col" class={column[1]}>{column[0]}</th>
          )}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

// Runs as rows, with bars that compare how long they took.

/** How long a run took, or takes up to now, in seconds; null for one that has not begun. */
export function secondsOf(
  { started_at: started, finished_at: finished }: RunSummary,
  now: number,
): number | null {
  if (started === null) return null;
  const end = finished === null ? now : Date.parse(finished);
  return Math.max(0, (end - Date.parse(started)) / 1000);
}

function tone(status: string): Tone {
  return toneOfWord(status) ?? "quiet";
}

/** The rows as a table; `among` says whether they are of several ecosystems. */
export function RunTable(
  { runs, now, among }: {
    readonly runs: readonly RunSummary[];
    readonly now: number;
    readonly among: boolean;
  },
): Html {
  const longest = Math.max(1, ...runs.map((run) => secondsOf(run, now) ?? 0));
  return (
    <Table
      class="runs"
      caption="Runs, newest first"
      columns={["Run", "Action", among ? "Ecosystem" : null, "State", ["Created", "wide"], [
        "Duration",
        "number",
      ], [<span class="unseen">Compared</span>, "bars wide"]]}
    >
      {runs.map((run) => {
        const seconds = secondsOf(run, now);
        return (
          <tr id={`run-${run.run_id}`} tabindex={-1}>
            <th scope="row" class="mono">
              <a href={`/runs/${run.run_id}`}>{run.run_id.slice(0, 8)}</a>
            </th>
            <td>{run.action}</td>
            {among ? <td class="mono">{run.ecosystem}</td> : null}
            <td class="states">
              <State word={run.status} />
              {run.reason === null ? null : <span class="why">{run.reason}</span>}
            </td>
            <td class="wide">
              <Time iso={run.created_at} />
            </td>
            <td class="number">
              <Duration seconds={seconds} />
            </td>
            <td class="bars wide">
              <Bar share={(seconds ?? 0) / longest} tone={tone(run.status)} />
            </td>
          </tr>
        );
      })}
    </Table>
  );
}
