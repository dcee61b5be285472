/** Repositories as rows: what needs attention first, the others as the manifest has them. */

import type { StatusRow } from "../../../commands/status/row.ts";
import { type Tone, toneOfWord } from "../../../base/text/tone.ts";
import { type Html, State, Table } from "./parts.tsx";

/** A repository as far as it is known: of one that was not looked at only its name and branch. */
export interface RepoLine {
  readonly name: string;
  /** The branch it should be on, shown until it was looked at. */
  readonly expected: string;
  readonly readonly: boolean;
  readonly row: StatusRow | null;
}

/** How much attention a repository needs; 0 is the most. */
function rank({ row }: RepoLine): number {
  if (row === null) return 2;
  const tones = row.status.split("+").map(toneOfWord);
  if (tones.includes("bad")) return 0;
  return tones.includes("attention") || row.in_progress !== null || row.stashes > 0 ? 1 : 2;
}

/** Whether a repository needs attention. */
export function isTrouble(line: RepoLine): boolean {
  return rank(line) < 2;
}

/** Problems first; what is alike stays in its order. */
export function byTrouble(lines: readonly RepoLine[]): readonly RepoLine[] {
  return lines.toSorted((a, b) => rank(a) - rank(b));
}

/** The states that are counted, in the order in which they are told. */
const COUNTED: readonly (readonly [word: string, tone: Tone, ...tokens: string[]])[] = [
  ["failed", "bad", "ERROR"],
  ["missing", "bad", "MISSING"],
  ["in conflict", "bad", "CONFLICT"],
  ["unfinished", "attention", "IN_PROGRESS"],
  ["diverged", "bad", "DIVERGED"],
  ["elsewhere", "attention", "DETACHED", "WRONG_BRANCH"],
  ["dirty", "attention", "DIRTY"],
  ["unpushed", "attention", "UNPUSHED"],
  ["merged", "good", "MERGED"],
  ["behind", "attention", "BEHIND"],
  ["OK", "good", "OK"],
];

/** How many repositories stand how, what is worst first. */
export function Counts({ lines }: { readonly lines: readonly RepoLine[] }): Html {
  const tokens = lines.map(({ row }) => row?.status.split("+") ?? []);
  return (
    <ul class="counts">
      {COUNTED.flatMap(([word, tone, ...wanted]) => {
        const n = tokens.filter((own) => wanted.some((token) => own.includes(token))).length;
        return n === 0 ? [] : [
          <li>
            <State word={`${n} ${word}`} tone={tone} />
          </li>,
        ];
      })}
    </ul>
  );
}

/** What lies between a repository and its remote, and what lies in it; words for those who do not see the signs. */
function Sync({ row }: { readonly row: StatusRow }): Html {
  const parts: readonly (readonly [sign: string, n: number, words: string])[] = [
    ["↑", row.ahead ?? 0, "ahead"],
    ["↓", row.behind ?? 0, "behind"],
    ["±", row.changed_files, "changed"],
    ["⚑", row.stashes, "stashed"],
  ];
  return (
    <>
      {parts.filter(([, n]) => n > 0).map(([sign, n, words]) => (
        <span class="sync">
          <span aria-hidden="true">{sign}</span>
          {n}
          <span class="unseen">{` ${words} `}</span>
        </span>
      ))}
    </>
  );
}

function Line(
  { line, prefix }: { readonly line: RepoLine; readonly prefix: string | null },
): Html {
  const { name, expected, row, readonly } = line;
  const branch = row?.branch ?? expected;
  const ticket = prefix !== null && row !== null && branch.startsWith(`${prefix}/`)
    ? branch.slice(prefix.length + 1)
    : "";
  return (
    <tr id={`repo-${name}`} tabindex={-1}>
      <th scope="row" class="mono name">
        {name}
        {readonly
          ? (
            <>
              {" "}
              <abbr title="read only: never pushed">RO</abbr>
            </>
          )
          : null}
      </th>
      <td class={`mono branch${row === null ? " stale" : ""}`}>
        {branch.split("/").map((part, index) =>
          index === 0 ? part : (
            <>
              /<wbr />
              {part}
            </>
          )
        )}
      </td>
      <td class="states">
        {row === null
          ? <span class="quiet">looking…</span>
          : row.status.split("+").map((word) => <State word={word} />)}
        {row === null || row.in_progress === null
          ? null
          : <span class="quiet">({row.in_progress})</span>}
        {row === null || row.error === null ? null : <span class="why">{row.error.message}</span>}
      </td>
      <td class="number">{row === null ? null : <Sync row={row} />}</td>
      {prefix === null ? null : (
        <>
          <td class="mono wide">{ticket}</td>
          <td class="mono wide quiet">{row?.commit}</td>
        </>
      )}
    </tr>
  );
}

/** The rows as a table. `prefix` begins the branches of tickets; with null there is no column for these. */
export function RepoTable(
  { lines, prefix, caption }: {
    readonly lines: readonly RepoLine[];
    readonly prefix: string | null;
    readonly caption: string;
  },
): Html {
  return (
    <Table
      class="repos"
      caption={caption}
      columns={[
        "Repository",
        "Branch",
        "State",
        ["Sync", "number"],
        prefix === null ? null : ["Ticket", "wide"],
        prefix === null ? null : ["Commit", "wide"],
      ]}
    >
      {lines.map((line) => <Line line={line} prefix={prefix} />)}
    </Table>
  );
}
