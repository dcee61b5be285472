/** The view of what all runs add up to: how many a day, how many fail, how long they take, as plots that the server draws. */

import type { Child } from "hono/jsx";
import type { TelemetryData } from "../../../commands/telemetry.ts";
import type { RunDay } from "../../../state/store/mod.ts";
import { type Tone, toneOfWord } from "../../../base/text/tone.ts";
import { count, duration } from "../../../base/text/words.ts";
import { Bar, Empty, Facts, Failure, type Html, State, Table } from "./parts.tsx";
import type { Answered, Reader } from "./reader.ts";
import type { Shown } from "./layout.tsx";

/** One bar: what it is about, and its parts from the bottom up. */
interface Column {
  readonly name: string;
  readonly parts: readonly { readonly value: number; readonly tone: Tone }[];
}

/** How high a plot is, in units of its own. */
const HEIGHT = 100;
/** How wide a bar is where the next one begins after 1. */
const WIDTH = 0.72;

/** The next round number at or above one: 1, 2, 5, 10, 20, 50, … */
function roundAbove(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value) ?? value;
}

function Bars(
  { columns, top }: { readonly columns: readonly Column[]; readonly top: number },
): Html {
  return (
    <>
      {columns.flatMap(({ parts }, index) => {
        let below = 0;
        return parts.filter(({ value }) => value > 0).map(({ value, tone }) => {
          const height = value / top * HEIGHT;
          below += height;
          return (
            <rect
              class={tone}
              x={(index + (1 - WIDTH) / 2).toFixed(2)}
              y={(HEIGHT - below).toFixed(2)}
              width={WIDTH}
              height={height.toFixed(2)}
            />
          );
        });
      })}
    </>
  );
}

/** Bars over time, `top` being what the highest could show. What `unit` names stands at the axis. */
function Plot(
  { title, says, columns, top, unit, legend, children }: {
    readonly title: string;
    /** The plot in one sentence, for those who do not see it, and below its title. */
    readonly says: string;
    readonly columns: readonly Column[];
    readonly top: number;
    readonly unit: string;
    /** What the tones of the bars mean. */
    readonly legend: readonly (readonly [word: string, tone: Tone])[];
    /** The table that says the same. */
    readonly children: Child;
  },
): Html {
  return (
    <figure class="plot">
      <figcaption>
        <h2>{title}</h2>
        <p class="quiet">{says}</p>
      </figcaption>
      <div class="canvas">
        <div class="scale" aria-hidden="true">
          <span>{`${top}${unit}`}</span>
          <span>0</span>
        </div>
        <svg
          viewBox={`0 0 ${columns.length} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={says}
        >
          <line class="grid" x1="0" x2={columns.length} y1="0" y2="0" />
          <line class="grid" x1="0" x2={columns.length} y1={HEIGHT / 2} y2={HEIGHT / 2} />
          <line class="grid" x1="0" x2={columns.length} y1={HEIGHT} y2={HEIGHT} />
          <Bars columns={columns} top={top} />
        </svg>
        <div class="ends" aria-hidden="true">
          <span>{columns[0]?.name}</span>
          <span>{columns.at(-1)?.name}</span>
        </div>
      </div>
      <ul class="legend">
        {legend.map(([word, tone]) => (
          <li>
            <State word={word} tone={tone} />
          </li>
        ))}
      </ul>
      <details>
        <summary>
          As a table<span class="unseen">{`: ${title}`}</span>
        </summary>
        {children}
      </details>
    </figure>
  );
}

/** So many days are plotted. */
const DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;

function two(n: number): string {
  return String(n).padStart(2, "0");
}

/** Every one of the last days up to now, also those without runs. */
function everyDay(days: readonly RunDay[], now: number): readonly RunDay[] {
  const known = new Map(days.map((each) => [each.day, each]));
  const found: RunDay[] = [];
  for (let back = DAYS - 1; back >= 0; back--) {
    const date = new Date(now - back * DAY_MS);
    const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
    if (found.at(-1)?.day === day) continue;
    found.push(known.get(day) ?? { day, total: 0, failed: 0, cancelled: 0 });
  }
  return found;
}

function share({ total, failed }: RunDay): number {
  return total === 0 ? 0 : Math.round(failed / total * 100);
}

function DayTable({ days }: { readonly days: readonly RunDay[] }): Html {
  return (
    <Table
      class="narrow"
      caption="Days with runs, newest first"
      columns={["Day", ["Runs", "number"], ["Failed", "number"], ["Cancelled", "number"], [
        "Share failed",
        "number",
      ]]}
    >
      {days.filter(({ total }) => total > 0).toReversed().map((day) => (
        <tr>
          <th scope="row">{day.day}</th>
          <td class="number">{day.total}</td>
          <td class="number">{day.failed}</td>
          <td class="number">{day.cancelled}</td>
          <td class="number">{share(day)} %</td>
        </tr>
      ))}
    </Table>
  );
}

function Compared(
  { title, rows, tell }: {
    readonly title: string;
    readonly rows: readonly (readonly [name: string, value: number])[];
    readonly tell: (value: number) => string;
  },
): Html {
  const most = Math.max(...rows.map(([, value]) => value), 0.1);
  return (
    <section>
      <h2>{title}</h2>
      {rows.length === 0 ? <p class="quiet">Nothing yet.</p> : (
        <table class="compared">
          <caption class="unseen">{title}</caption>
          <tbody>
            {rows.map(([name, value]) => (
              <tr>
                <th scope="row">
                  {toneOfWord(name) === null ? name : <State word={name} />}
                </th>
                <td class="number">{tell(value)}</td>
                <td class="bars">
                  <Bar share={value / most} tone={toneOfWord(name) ?? "quiet"} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Plots({ days }: { readonly days: readonly RunDay[] }): Html {
  const total = days.reduce((sum, day) => sum + day.total, 0);
  const failed = days.reduce((sum, day) => sum + day.failed, 0);
  const most = roundAbove(Math.max(...days.map((day) => day.total)));
  return (
    <div class="plots">
      <Plot
        title="Runs per day"
        says={`${count(total, "run")} in ${days.length} days, ${failed} failed`}
        columns={days.map((day) => ({
          name: day.day,
          parts: [
            { value: day.failed, tone: "bad" },
            { value: day.cancelled, tone: "attention" },
            { value: day.total - day.failed - day.cancelled, tone: "good" },
          ],
        }))}
        top={most}
        unit=""
        legend={[["failed", "bad"], ["cancelled", "attention"], ["others", "good"]]}
      >
        <DayTable days={days} />
      </Plot>
      <Plot
        title="Share that failed"
        says={total === 0
          ? "No runs"
          : `${Math.round(failed / total * 100)} % of all runs in ${days.length} days`}
        columns={days.map((day) => ({
          name: day.day,
          parts: [{ value: share(day), tone: "bad" }],
        }))}
        top={100}
        unit=" %"
        legend={[["failed", "bad"]]}
      >
        <DayTable days={days} />
      </Plot>
    </div>
  );
}

function body(answer: Answered<TelemetryData>, now: number): Html {
  if (answer.data === null) return <Failure error={answer.failed} />;
  const { data } = answer;
  if (data.total_runs === 0) {
    return (
      <Empty title="No runs yet" command="amof install">
        <p>What runs did is counted here, on this machine and for you alone.</p>
      </Empty>
    );
  }
  const times = Object.entries(data.avg_duration_s).toSorted(([, a], [, b]) => b - a);
  const statuses = Object.entries(data.by_status).toSorted(([, a], [, b]) => b - a);
  const ecosystems = Object.entries(data.by_ecosystem).toSorted(([, a], [, b]) => b - a)
    .map(([name, n]) => [name || "control repository", n] as const);
  return (
    <>
      <Facts
        rows={[
          ["Runs", String(data.total_runs)],
          ["Going on", String(data.active)],
          [
            "Agents cost",
            data.cost.total === null
              ? null
              : `${data.cost.total}${data.cost.status === "partial" ? ", as far as known" : ""}`,
          ],
        ]}
      />
      <Plots days={everyDay(data.by_day, now)} />
      <div class="plots three">
        <Compared title="Average duration" rows={times} tell={duration} />
        <Compared title="States" rows={statuses} tell={String} />
        <Compared title="Ecosystems" rows={ecosystems} tell={String} />
      </div>
    </>
  );
}

/** The page. */
export async function telemetryPage(reader: Reader): Promise<Shown> {
  const answer = await reader.ask<TelemetryData>("amof_get_global_telemetry");
  return {
    title: "Telemetry",
    active: "/telemetry",
    status: answer.failed?.status,
    live: { parts: ["runs"] },
    body: (
      <>
        <h1>Telemetry</h1>
        {body(answer, reader.now())}
      </>
    ),
  };
}
