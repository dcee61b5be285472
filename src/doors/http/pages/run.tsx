/** The view of one run: its record, and its log as it goes on. */

import type { LogData } from "../../../commands/runs/logs.ts";
import type { RunView } from "../../../runs/mod.ts";
import { type EventLevel, LEVELS, STATUSES } from "../../../state/store/mod.ts";
import { fieldsOf, isObject } from "../../../base/object.ts";
import { localClock } from "../../../base/text/moment.ts";
import { toneOfWord } from "../../../base/text/tone.ts";
import {
  Choice,
  Duration,
  Empty,
  Facts,
  Failure,
  Field,
  Filters,
  type Html,
  RunTable,
  secondsOf,
  State,
  Time,
} from "./parts.tsx";
import type { Answered, Reader } from "./reader.ts";
import { failedPage, type Shown } from "./layout.tsx";
import type { EcosystemList } from "../../../commands/ecosystem/list.ts";
import type { ListData } from "../../../commands/runs/list.ts";

/** So many of the newest lines come with the page; whoever wants them all asks for the log. */
const LINES = 1000;

/** Which level the address asks for; null for all. */
function levelOf(text: string): EventLevel | null {
  return LEVELS.find((level) => level === text) ?? null;
}

/** One line: time, level, who says it, what. */
function Line({ event }: { readonly event: LogData["events"][number] }): Html {
  const level = String(event["level"]);
  const { repo } = fieldsOf(event["payload"]);
  const at = Date.parse(String(event["timestamp"]));
  return (
    <li class={toneOfWord(level) ?? "quiet"} data-seq={Number(event["seq"])}>
      <time datetime={String(event["timestamp"])}>{localClock(at)}</time>
      <span class="level">{level}</span>
      <span class="said">
        {event["stream"] !== undefined && typeof repo === "string"
          ? <span class="speaker">{repo}</span>
          : null}
        {String(event["message"])}
      </span>
    </li>
  );
}

function Log(
  { run, answer, level }: {
    readonly run: RunView;
    readonly answer: Answered<LogData>;
    readonly level: EventLevel | null;
  },
): Html {
  if (answer.data === null) return <Failure error={answer.failed} />;
  const { events, next_after: after, truncated, terminal } = answer.data;
  return (
    <>
      {truncated
        ? <p class="quiet">Older lines: amof runs logs {run.run_id.slice(0, 8)} --tail 1000</p>
        : null}
      <ol
        class="log"
        id="log"
        tabindex={0}
        aria-label="Log"
        data-run={run.run_id}
        data-after={after}
        data-level={level ?? undefined}
        data-ended={terminal ? "" : undefined}
      >
        {events.map((event) => <Line event={event} />)}
      </ol>
      {events.length > 0 ? null : (
        <p class="quiet" id="no-lines">
          {level === null ? "Nothing was said yet." : `Nothing at ${level} or above.`}
        </p>
      )}
    </>
  );
}

/** Why a run failed, as its record has it. */
function Why({ error }: { readonly error: unknown }): Html | null {
  if (!isObject(error)) return null;
  const { message, hint, error: code } = fieldsOf(error);
  return (
    <Failure
      error={{
        code: String(code ?? ""),
        message: String(message ?? "It failed"),
        hint: typeof hint === "string" ? hint : null,
        status: 0,
      }}
    />
  );
}

/** What is known of a run besides its log. */
function About({ run, now }: { readonly run: RunView; readonly now: number }): Html {
  return (
    <Facts
      rows={[
        [
          "Ecosystem",
          run.ecosystem === ""
            ? null
            : <a href={`/ecosystems/${encodeURIComponent(run.ecosystem)}`}>{run.ecosystem}</a>,
        ],
        ["Asked by", run.requested_by],
        ["Created", <Time iso={run.created_at} />],
        ["Duration", <Duration seconds={secondsOf(run, now)} />],
        ["Exit code", run.exit_code === null ? null : String(run.exit_code)],
        ["Events", String(run.event_count)],
        ["Run", <span class="mono">{run.run_id}</span>],
      ]}
    />
  );
}

/** What of the log is shown, and whether it is followed. */
function LogChoice(
  { run, level }: { readonly run: RunView; readonly level: EventLevel | null },
): Html {
  return (
    <Filters action={`/runs/${run.run_id}`}>
      <Choice
        label="Level"
        name="level"
        value={level ?? ""}
        options={LEVELS.filter((each) => each !== "debug")}
        all="all"
      />
      <label class="check" id="follow-label" hidden={run.terminal}>
        <input type="checkbox" id="follow" checked={!run.terminal} />
        <span>Follow</span>
      </label>
    </Filters>
  );
}

/** The page of a run. */
export async function runPage(reader: Reader, id: string, wanted: string): Promise<Shown> {
  const level = levelOf(wanted);
  const found = await reader.ask<RunView>("amof_get_run_status", { run_id: id });
  if (found.data === null) return failedPage("/runs", "Run", found.failed);
  const run = found.data;
  const log = await reader.ask<LogData>("amof_get_run_logs", {
    run_id: run.run_id,
    tail: LINES,
    ...(level === null ? {} : { level }),
  });
  return {
    title: `${run.action} ${run.run_id.slice(0, 8)}`,
    active: "/runs",
    live: { parts: ["runs"] },
    body: (
      <>
        <div class="heading">
          <h1>
            {run.action} <span class="mono quiet">{run.run_id.slice(0, 8)}</span>
          </h1>
          <State word={run.status} />
          {run.reason === null ? null : <span class="quiet">{run.reason}</span>}
        </div>
        <About run={run} now={reader.now()} />
        <Why error={run.run_error} />
        <div class="heading">
          <h2>Log</h2>
          <LogChoice run={run} level={level} />
        </div>
        {run.event_count === 0 && run.terminal
          ? <Empty title="It said nothing" />
          : <Log run={run} answer={log} level={level} />}
      </>
    ),
  };
}

// The view of all runs, with filters.

/** So many are shown at first, and so many more with each step. */
const STEP = 50;
/** The most that one page shows. */
const MOST = 200;

interface RunsWish {
  readonly ecosystem: string;
  readonly status: string;
  readonly action: string;
  readonly limit: number;
}

function addressOf({ ecosystem, status, action }: RunsWish, limit: number): string {
  return `/runs?${new URLSearchParams({ ecosystem, status, action, limit: String(limit) })}`;
}

function List(
  { answer, wish, now }: {
    readonly answer: Answered<ListData>;
    readonly wish: RunsWish;
    readonly now: number;
  },
): Html {
  if (answer.data === null) return <Failure error={answer.failed} />;
  const { runs } = answer.data;
  if (runs.length > 0) {
    return (
      <>
        <RunTable runs={runs} now={now} among />
        {runs.length < wish.limit || wish.limit >= MOST ? null : (
          <p class="more">
            <a href={addressOf(wish, Math.min(MOST, wish.limit + STEP))}>Older runs</a>
          </p>
        )}
      </>
    );
  }
  return wish.ecosystem === "" && wish.status === "" && wish.action === ""
    ? <Empty title="No runs yet" command="amof install" />
    : <Empty title="No run matches" all="/runs" />;
}

/** The page. */
export async function runsPage(reader: Reader, wish: RunsWish): Promise<Shown> {
  const { ecosystem, status, action } = wish;
  const limit = Math.min(MOST, Math.max(1, Math.trunc(wish.limit) || STEP));
  const [answer, ecosystems] = await Promise.all([
    reader.ask<ListData>("amof_list_runs", {
      limit,
      ...(ecosystem === "" ? {} : { ecosystem }),
      ...(status === "" ? {} : { status }),
      ...(action === "" ? {} : { action }),
    }),
    reader.ask<EcosystemList>("amof_list_ecosystems", { include_retired: true }),
  ]);
  const names = (ecosystems.data?.ecosystems ?? []).map(({ name }) => name);
  return {
    title: "Runs",
    active: "/runs",
    status: answer.failed?.status,
    live: { parts: ["runs"] },
    body: (
      <>
        <h1>Runs</h1>
        <Filters action="/runs">
          <Choice label="State" name="status" value={status} options={STATUSES} all="any" />
          <Choice label="Ecosystem" name="ecosystem" value={ecosystem} options={names} all="all" />
          <Field label="Action" name="action" value={action} hint="push" />
        </Filters>
        <List answer={answer} wish={{ ...wish, limit }} now={reader.now()} />
      </>
    ),
  };
}
