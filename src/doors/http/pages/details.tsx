/** The details of an answer or a preview as a page shows them: all of it, nothing folded or cut. */

import { type Part, Verbatim } from "../../../base/text/parts.ts";
import { gridOf, Table } from "../../../base/text/table.ts";
import { type Tone, Toned, toneOfWord } from "../../../base/text/tone.ts";
import type { Html } from "./parts.tsx";

/** The tone that the mark at the beginning of a line gives it. */
function markOf(line: string): Tone | null {
  return toneOfWord(line.trimStart().charAt(0));
}

function Line({ text, tone }: { readonly text: string; readonly tone: Tone | null }): Html {
  return <span class={tone === null ? "line" : `line ${tone}`}>{`${text}\n`}</span>;
}

/** How a line of a patch stands: added, removed, or about the patch itself. */
function patchTone(line: string): Tone | null {
  if (/^(?:diff |index |--- |\+\+\+ |@@)/.test(line)) return "quiet";
  return line.startsWith("+") ? "good" : line.startsWith("-") ? "bad" : null;
}

function Lines(
  { text, tone, patch = false }: {
    readonly text: string;
    readonly tone?: Tone;
    readonly patch?: boolean;
  },
): Html {
  return (
    <pre class={patch ? "patch" : "said"}>
      {text.split("\n").map((line) => (
        <Line text={line} tone={tone ?? (patch ? patchTone(line) : markOf(line))} />
      ))}
    </pre>
  );
}

function Grid({ table }: { readonly table: Table }): Html {
  const { columns, rows } = gridOf(table);
  return (
    <div
      class="scroll"
      tabindex={0}
      role="region"
      aria-label={columns[0]?.name.toLowerCase() ?? ""}
    >
      <table>
        <thead>
          <tr>
            {columns.map(({ name, right }) => (
              <th scope="col" class={right ? "number" : undefined}>{name.toLowerCase()}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {row.map(({ text, tone }, index) => (
                <td
                  class={[tone ?? "", columns[index]?.right === true ? "number" : "mono"].join(" ")}
                >
                  {text}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Parts whose lines belong together: texts that follow each other are one block. */
function grouped(parts: readonly Part[]): readonly Part[] {
  const found: Part[] = [];
  let texts: string[] = [];
  const end = () => {
    if (texts.some((text) => text !== "")) found.push(texts.join("\n"));
    texts = [];
  };
  for (const part of parts) {
    if (part === "") end();
    else if (part instanceof Table || part instanceof Verbatim || part instanceof Toned) {
      end();
      found.push(part);
    } else texts.push(String(part));
  }
  end();
  return found;
}

/** All parts, each whole. */
export function Details({ parts }: { readonly parts: readonly Part[] }): Html {
  return (
    <div class="details">
      {grouped(parts).map((part) =>
        part instanceof Table
          ? <Grid table={part} />
          : part instanceof Verbatim
          ? <Lines text={String(part)} patch={part.isPatch} />
          : part instanceof Toned
          ? <Lines text={part.text} tone={part.tone} />
          : <Lines text={String(part)} />
      )}
    </div>
  );
}
