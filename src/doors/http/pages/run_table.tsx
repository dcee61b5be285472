/** Runs as rows, with bars that compare how long they took. */

import type { RunSummary } from "../../../runs/mod.ts";
import { type Tone, toneOfWord } from "../../../base/text/tone.ts";
import { Bar, Duration, type Html, State, Time } from "./parts.tsx";

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
    <table class="runs">
      <caption class="unseen">Runs, newest first</caption>
      <thead>
        <tr>
          <th scope="col">Run</th>
          <th scope="col">Action</th>
          {among ? <th scope="col">Ecosystem</th> : null}
          <th scope="col">State</th>
          <th scope="col" class="wide">Created</th>
          <th scope="col" class="number">Duration</th>
          <th scope="col" class="bars wide">
            <span class="unseen">Compared</span>
          </th>
        </tr>
      </thead>
      <tbody>
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
      </tbody>
    </table>
  );
}
