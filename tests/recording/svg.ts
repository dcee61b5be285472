/**
 * A recording as a picture that moves, and as one that does not: SVG without scripts, light and dark.
 *
 * @module
 */

import type { Recording } from "./tape.ts";
import { type Line, SIZE, type Span } from "./terminal.ts";

/** A character, a line, and the space around the screen, in pixels. */
const CELL = { width: 8.4, height: 18, size: 14 };
const EDGE = { side: 14, top: 34, bottom: 12 };

/** How long the last screen stays, in seconds. */
const PAUSE = 4;

const WIDTH = Math.ceil(SIZE.columns * CELL.width + 2 * EDGE.side);
const HEIGHT = SIZE.rows * CELL.height + EDGE.top + EDGE.bottom;

/** Colours of the two schemes; each reads well on its ground. */
const STYLE = `
.g{fill:#ffffff;stroke:#d0d7de}.t{fill:#1f2328}.k{fill:#1f2328}
.c1,.c9{fill:#cf222e}.c2,.c10{fill:#116329}.c3,.c11{fill:#7d4e00}.c4,.c12{fill:#0550ae}
.c5,.c13{fill:#8250df}.c6,.c14{fill:#1b7c83}.c7{fill:#57606a}.c8{fill:#57606a}.c15{fill:#1f2328}
.d{opacity:.7}.b{font-weight:bold}
text{font:${CELL.size}px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre}
@media (prefers-color-scheme:dark){
.g{fill:#0d1117;stroke:#30363d}.t{fill:#e6edf3}.k{fill:#e6edf3}
.c1,.c9{fill:#ff7b72}.c2,.c10{fill:#56d364}.c3,.c11{fill:#e3b341}.c4,.c12{fill:#79c0ff}
.c5,.c13{fill:#d2a8ff}.c6,.c14{fill:#56d4dd}.c7{fill:#9da7b3}.c8{fill:#9da7b3}.c15{fill:#ffffff}}`;

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** A number without more digits than can be seen. */
function short(value: number): string {
  return String(Math.round(value * 100) / 100);
}

function spanned({ text, colour, bold, dim }: Span, column: number): string {
  const classes = [colour ?? "t", ...(bold ? ["b"] : []), ...(dim ? ["d"] : [])].join(" ");
  const length = [...text].length;
  // Every part is as wide as its characters, whichever font there is.
  return `<tspan x="${short(column * CELL.width)}" textLength="${short(length * CELL.width)}" ` +
    `lengthAdjust="spacingAndGlyphs" class="${classes}">${escaped(text)}</tspan>`;
}

/** The text of a line; nothing for an empty one. */
function drawn(line: Line): string {
  let column = 0;
  const spans = line.flatMap((span) => {
    const at = column;
    column += [...span.text].length;
    return span.text.trim() === "" ? [] : [spanned(span, at)];
  });
  return spans.join("");
}

/** Lines that are drawn once and used wherever they stand. */
class Lines {
  readonly #ids = new Map<string, string>();

  use(line: Line, row: number): string {
    const text = drawn(line);
    if (text === "") return "";
    const id = this.#ids.get(text) ?? `l${this.#ids.size}`;
    this.#ids.set(text, id);
    return `<use href="#${id}" y="${short((row + 0.75) * CELL.height)}"/>`;
  }

  definitions(): string {
    return [...this.#ids].map(([text, id]) => `<text id="${id}">${text}</text>`).join("\n");
  }
}

function screenOf(
  { lines, cursor: [column, row] }: Recording["frames"][number],
  at: Lines,
): string {
  const cursor =
    `<rect class="k" x="${short(column * CELL.width)}" y="${short(row * CELL.height + 1)}" ` +
    `width="${CELL.width}" height="${CELL.height - 2}" opacity=".55"/>`;
  return `${lines.map((line, index) => at.use(line, index)).join("")}${cursor}`;
}

function framed(label: string, style: string, inside: string, definitions: string): string {
  const circles = [0, 1, 2].map((each) =>
    `<circle cx="${20 + each * 18}" cy="17" r="5.5" class="c${[1, 3, 2][each]}" opacity=".8"/>`
  ).join("");
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" ` +
    `viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(label)}">
<style>${STYLE}${style}
</style>
<defs>
${definitions}
</defs>
<rect class="g" x=".5" y=".5" width="${WIDTH - 1}" height="${HEIGHT - 1}" rx="8"/>
${circles}
<svg x="${EDGE.side}" y="${EDGE.top}" width="${WIDTH - 2 * EDGE.side}" height="${
      SIZE.rows * CELL.height
    }">
${inside}
</svg>
</svg>
`;
}

/** The picture that moves. Whoever asked for no motion sees its last screen. */
export function animated({ frames, seconds }: Recording, label: string): string {
  const lines = new Lines();
  const height = SIZE.rows * CELL.height;
  const whole = seconds + PAUSE;
  const screens = frames.map((frame, index) =>
    `<g transform="translate(0 ${index * height})">${screenOf(frame, lines)}</g>`
  );
  const steps = frames.map(({ seconds: at }, index) =>
    `${short(at / whole * 100)}%{transform:translateY(-${index * height}px)}`
  );
  const last = (frames.length - 1) * height;
  const style = `
#film{animation:film ${short(whole)}s step-end infinite}
@keyframes film{${steps.join("")}100%{transform:translateY(-${last}px)}}
@media (prefers-reduced-motion:reduce){#film{animation:none;transform:translateY(-${last}px)}}`;
  return framed(label, style, `<g id="film">\n${screens.join("\n")}\n</g>`, lines.definitions());
}

/** The picture that does not move: one screen. */
export function still(frame: Recording["frames"][number], label: string): string {
  const lines = new Lines();
  const screen = screenOf(frame, lines);
  return framed(label, "", screen, lines.definitions());
}
