/**
 * Plots, drawn by the server: bars stretch with the page, and what they say stands beside them as text and as a table.
 */

import type { Child } from "hono/jsx";
import type { Tone } from "../../../base/text/tone.ts";
import { type Html, State } from "./parts.tsx";

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
export function roundAbove(value: number): number {
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
export function Plot(
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
