/** The view of releases: the current version, what can follow, and every version on its way from stage to stage. */

import type { ReleaseLogData } from "../../../commands/release/log.ts";
import type { ReleaseStatusData } from "../../../commands/release/status.ts";
import { count } from "../../../base/text/words.ts";
import { CommandLine, Empty, Facts, Failure, type Html, State, Table, Time } from "./parts.tsx";
import type { Answered, Reader } from "./reader.ts";
import type { Shown } from "./layout.tsx";
import { localTime } from "../../../base/text/moment.ts";

/** So many of the newest releases are shown. */
const RELEASES = 100;

/** The way of a version. */
const STAGES = ["alpha", "beta", "rc", "stable"] as const;

type Release = ReleaseLogData["releases"][number];

/** Releases by their version without stage, the highest first as they come. */
function byBase(releases: readonly Release[]): ReadonlyMap<string, readonly Release[]> {
  return Map.groupBy(releases, ({ version }) => version.split("-")[0] ?? version);
}

/** The day of a moment in the time zone of this machine. */
function Day({ iso }: { readonly iso: string }): Html {
  const at = Date.parse(iso);
  return <time datetime={iso}>{Number.isNaN(at) ? iso : localTime(at).slice(0, 10)}</time>;
}

function Stop({ release, current }: { readonly release: Release; readonly current: string }): Html {
  const { tag, stage, stage_num: num, timestamp, pushed } = release;
  return (
    <li class={tag === current ? "current" : undefined}>
      <a href={`#${tag}`} class="mono">{stage === null ? tag : `${stage}.${num}`}</a>
      {tag === current ? <span class="quiet">current</span> : null}
      <span class="quiet day">
        <Day iso={timestamp} />
      </span>
      {pushed === false ? <State word="not pushed" tone="attention" /> : null}
    </li>
  );
}

/** Versions as rows, stages as columns, each release where it stands. */
function Ladder(
  { releases, current }: { readonly releases: readonly Release[]; readonly current: string },
): Html {
  return (
    <Table
      class="ladder"
      caption="Versions and the stages they came through"
      columns={["Version", ...STAGES]}
    >
      {[...byBase(releases)].map(([base, stops]) => (
        <tr>
          <th scope="row" class="mono">{base}</th>
          {STAGES.map((stage) => (
            <td>
              <ol class="stops">
                {stops.filter((stop) => (stop.stage ?? "stable") === stage).toReversed().map(
                  (stop) => <Stop release={stop} current={current} />,
                )}
              </ol>
            </td>
          ))}
        </tr>
      ))}
    </Table>
  );
}

function actionOf({ action, bump_part: part, stage, subject }: Release): string {
  if (action === "bump") return `bump ${part ?? ""}`;
  if (action === "promote") return `promote to ${stage ?? "stable"}`;
  return action ?? subject;
}

function History({ releases }: { readonly releases: readonly Release[] }): Html {
  return (
    <Table
      caption="Releases, highest version first"
      columns={["Tag", "When", "How", ["Commits", "number"], ["From", "wide"], ["Remote", "wide"]]}
    >
      {releases.map((release) => (
        <tr id={release.tag} tabindex={-1}>
          <th scope="row" class="mono">{release.tag}</th>
          <td>
            <Time iso={release.timestamp} />
          </td>
          <td class="words">{actionOf(release)}</td>
          <td class="number">{release.commits_since_previous}</td>
          <td class="wide">{release.origin}</td>
          <td class="wide">
            {release.pushed === null
              ? <span class="quiet">not recorded</span>
              : release.pushed
              ? <State word="pushed" />
              : <State word="not pushed" tone="attention" />}
          </td>
        </tr>
      ))}
    </Table>
  );
}

function Current({ status }: { readonly status: ReleaseStatusData }): Html {
  const { tag, stage, branch, dirty, commits_since_tag: commits, ready, next } = status;
  return (
    <>
      <div class="heading">
        <h2>
          <span class="mono">{tag}</span>
        </h2>
        <span class="quiet">{stage}</span>
        <State
          word={ready.ok
            ? `ready for ${ready.stage}`
            : `${count(ready.errors, "problem")} before ${ready.stage}`}
          tone={ready.ok ? "good" : "attention"}
        />
      </div>
      <Facts
        rows={[
          ["Branch", branch === null ? null : <span class="mono">{branch}</span>],
          ["Not committed", dirty ? "changes" : "nothing"],
          ["Not released", count(commits, "commit")],
        ]}
      />
      {status.commits.length === 0 ? null : (
        <ul class="subjects">
          {status.commits.map((subject) => <li>{subject}</li>)}
          {commits > status.commits.length
            ? <li class="quiet">{`and ${commits - status.commits.length} more`}</li>
            : null}
        </ul>
      )}
      <details>
        <summary>What can follow</summary>
        <ul class="steps">
          {next.map(({ version, command }) => (
            <li>
              <span class="mono">{version}</span>
              <CommandLine line={command} />
            </li>
          ))}
        </ul>
      </details>
    </>
  );
}

function body(
  status: Answered<ReleaseStatusData>,
  log: Answered<ReleaseLogData>,
): Html {
  if (log.data === null) return <Failure error={log.failed} />;
  const { releases, total } = log.data;
  if (releases.length === 0) {
    return (
      <Empty title="No releases yet" command={log.data.next ?? "amof release init"}>
        <p>Versions of this control repository are its tags, from alpha to stable.</p>
      </Empty>
    );
  }
  return (
    <>
      {status.data === null ? <Failure error={status.failed} /> : <Current status={status.data} />}
      <Ladder releases={releases} current={status.data?.tag ?? ""} />
      <h2>
        History {total > releases.length
          ? <span class="aside quiet">{`the newest ${releases.length} of ${total}`}</span>
          : null}
      </h2>
      <History releases={releases} />
    </>
  );
}

/** The page. */
export async function releasesPage(reader: Reader): Promise<Shown> {
  const [status, log] = await Promise.all([
    reader.ask<ReleaseStatusData>("amof_release_status"),
    reader.ask<ReleaseLogData>("amof_release_log", { limit: RELEASES }),
  ]);
  return {
    title: "Releases",
    active: "/releases",
    status: log.failed?.status,
    live: { parts: ["releases", "runs"], again: 30 },
    body: (
      <>
        <h1>Releases</h1>
        {body(status, log)}
      </>
    ),
  };
}
