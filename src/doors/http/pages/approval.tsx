/** One request: all that would happen now, and the answer of the person (SIGN-3). */

import type { ApprovalRequest } from "../../../pipeline/consent/approver.ts";
import { questionOf, type Review } from "../../../pipeline/consent/pending.ts";
import type { PendingApproval } from "../../../state/store/mod.ts";
import { timestamp } from "../../../base/system/mod.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import {
  Empty,
  Facts,
  type Failed,
  Failure,
  type Html,
  State,
  Table as Rows,
  Time,
} from "./parts.tsx";
import type { Shown } from "./layout.tsx";
import { type Part, Verbatim } from "../../../base/text/parts.ts";
import { gridOf, Table } from "../../../base/text/table.ts";
import { type Tone, Toned, toneOfWord } from "../../../base/text/tone.ts";
import type { ApprovalsData } from "../../../commands/approvals/approvals.ts";
import { duration } from "../../../base/text/words.ts";
import type { Reader } from "./reader.ts";

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
function Details({ parts }: { readonly parts: readonly Part[] }): Html {
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

/** What the page needs besides the request. */
interface Desk {
  /** What forms send along. */
  readonly csrf: string;
  /** Whether approving takes a passkey. */
  readonly keyed: boolean;
  /** Whether it would, and there is none. */
  readonly keyless: boolean;
  /** Why the answer that was sent did not count; null before one was sent. */
  readonly problem: Failed | null;
}

/** The button for yes, with the field for the name where one has to be typed. */
function Approve(
  { id, question, desk }: {
    readonly id: string;
    readonly question: ApprovalRequest;
    readonly desk: Desk;
  },
): Html {
  const { typed, irreversible } = question;
  return (
    <form
      method="post"
      action={`/approvals/${id}/approve`}
      id="approve"
      autocomplete="off"
      data-passkey={desk.keyed ? "" : undefined}
    >
      <input type="hidden" name="csrf" value={desk.csrf} />
      <input type="hidden" name="assertion" value="" />
      {typed === null ? null : (
        <label>
          <span>Type the {typed.what} to proceed</span>
          <input
            type="text"
            name="typed"
            id="typed"
            required
            spellcheck={false}
            autocapitalize="off"
          />
        </label>
      )}
      <button type="submit" class={irreversible === null ? "yes" : "yes grave"}>
        Approve {question.deed}
        {desk.keyed ? " with a passkey" : ""}
      </button>
      {desk.keyed ? <p id="passkey-says" class="quiet" role="status"></p> : null}
    </form>
  );
}

function Deny({ id, csrf }: { readonly id: string; readonly csrf: string }): Html {
  return (
    <form method="post" action={`/approvals/${id}/deny`} id="deny">
      <input type="hidden" name="csrf" value={csrf} />
      <button type="submit">Deny</button>
    </form>
  );
}

/** The page of a request that waits. */
export function waitingPage(shown: Review, desk: Desk, signal: AbortSignal): Shown {
  const { pending } = shown;
  const { request } = pending;
  const question = questionOf(shown, signal);
  return {
    title: question.heading,
    active: "/approvals",
    status: desk.problem?.status,
    live: { parts: ["approvals"] },
    body: (
      <>
        <div class="heading">
          <h1>{question.heading}</h1>
          <State word="pending" />
        </div>
        {desk.problem === null ? null : <Failure error={desk.problem} />}
        <p>{question.summary}</p>
        <Details parts={question.details} />
        {question.irreversible === null ? null : (
          <p class="notice bad">
            {`⚠ ${question.irreversible}`}
          </p>
        )}
        <div class="answer">
          {desk.keyless
            ? (
              <p>
                Only a passkey approves here, and there is none yet:{" "}
                <a href="/passkeys">add one</a>.
              </p>
            )
            : <Approve id={pending.id} question={question} desk={desk} />}
          <Deny id={pending.id} csrf={desk.csrf} />
        </div>
        <Facts
          rows={[
            ["Request", <span class="mono">{pending.id}</span>],
            ["Waits until", <Time iso={timestamp(request.expiresAt)} />],
            ["Preview", <span class="mono hash">{request.fingerprint}</span>],
          ]}
        />
        <p class="quiet">
          What you approve is what is shown. If anything changes before it is carried out, nothing
          happens.
        </p>
      </>
    ),
  };
}

/** How a request that no longer waits stands. */
function stateOf({ request }: PendingApproval, now: number): string {
  if (request.outcome !== null) return request.outcome;
  if (request.approval?.decision === "approved") {
    return request.expiresAt > now ? "approved" : "expired";
  }
  return request.expiresAt <= now ? "expired" : "pending";
}

/** The page of a request that cannot be decided, and `why`: it is over, or no longer what was asked for. */
export function overPage(
  pending: PendingApproval,
  now: number,
  { why, problem }: Pick<Desk, "problem"> & { readonly why: Failed },
): Shown {
  const { request } = pending;
  const state = stateOf(pending, now);
  const waits = state === "approved";
  return {
    title: cleanLine(pending.summary, 80),
    active: "/approvals",
    status: state === "pending" ? why.status : problem?.status,
    live: { parts: ["approvals"] },
    body: (
      <>
        <div class="heading">
          <h1>{cleanLine(pending.summary)}</h1>
          <State word={state === "pending" ? "stale" : state} />
        </div>
        {state === "pending" || problem !== null ? <Failure error={problem ?? why} /> : null}
        {state === "pending" ? null : (
          <p>
            {waits
              ? "It is carried out when the program asks for it again."
              : "Nothing can be decided any more."}
          </p>
        )}
        <Facts
          rows={[
            ["Request", <span class="mono">{pending.id}</span>],
            ["Asked by", cleanLine(pending.client, 60)],
            ["Tool", <span class="mono">{request.tool}</span>],
            ["Ecosystem", request.ecosystem === "" ? null : request.ecosystem],
            ["Where", <span class="mono">{cleanLine(pending.root)}</span>],
            ["Decided by", request.approval?.decidedBy ?? null],
            [
              "Decided",
              pending.decidedAt === null ? null : <Time iso={timestamp(pending.decidedAt)} />,
            ],
            ["Preview", <span class="mono hash">{request.fingerprint}</span>],
          ]}
        />
        <p>
          <a href="/approvals">All requests</a>
        </p>
      </>
    ),
  };
}

// The requests that wait for a person, and those of the last day (SIGN-3).

type Entry = ApprovalsData["approvals"][number];

function Waiting({ entry }: { readonly entry: Entry }): Html {
  return (
    <li class="card" id={`request-${entry.id}`}>
      <header>
        <h2>
          <a href={`/approvals/${entry.id}`}>{entry.summary}</a>
        </h2>
        <span class="quiet mono">{entry.id}</span>
      </header>
      <p class="quiet">
        {entry.requested_by} asks for {entry.tool}
        {entry.ecosystem === null ? "" : ` in ${entry.ecosystem}`}
        {entry.expires_in_s === null ? "" : `; ${duration(entry.expires_in_s)} left`}
      </p>
    </li>
  );
}

function Over({ entries }: { readonly entries: readonly Entry[] }): Html {
  return (
    <Rows
      caption="Requests that no longer wait"
      columns={["Request", "What", "State", ["By", "wide"], ["Asked", "wide"]]}
    >
      {entries.map((entry) => (
        <tr id={`request-${entry.id}`} tabindex={-1}>
          <td class="mono">
            <a href={`/approvals/${entry.id}`}>{entry.id}</a>
          </td>
          <td>{entry.summary}</td>
          <td>
            <State word={entry.outcome ?? entry.status} />
          </td>
          <td class="wide">{entry.decided_by ?? ""}</td>
          <td class="wide quiet">
            <Time iso={entry.created_at} />
          </td>
        </tr>
      ))}
    </Rows>
  );
}

/** The page of all requests. */
export async function approvalsPage(reader: Reader): Promise<Shown> {
  const { data, failed } = await reader.ask<ApprovalsData>("amof_approvals", {
    all: true,
    limit: 200,
  });
  const all = data?.approvals ?? [];
  const waiting = all.filter(({ status }) => status === "pending");
  const over = all.filter(({ status }) => status !== "pending");
  return {
    title: "Approvals",
    active: "/approvals",
    status: failed?.status,
    live: { parts: ["approvals"] },
    body: (
      <>
        <h1>Approvals</h1>
        {failed === undefined ? null : <Failure error={failed} />}
        {failed !== undefined || waiting.length > 0
          ? (
            <ul class="cards">
              {waiting.map((entry) => <Waiting entry={entry} />)}
            </ul>
          )
          : (
            <Empty title="Nothing waits for you">
              <p class="quiet">
                Requests appear here when a program whose server asks a person (--confirm human)
                wants to change something.
              </p>
            </Empty>
          )}
        {over.length === 0 ? null : (
          <>
            <h2>Decided or over</h2>
            <Over entries={over} />
          </>
        )}
      </>
    ),
  };
}
