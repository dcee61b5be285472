// How GitHub speaks of the pull requests of the double.

import type { Double, DoubleAnswer, ForgeCall, Pull } from "./double.ts";

const SITE = "https://github.com/shop";

async function row(double: Double, pull: Pull): Promise<Record<string, unknown>> {
  const { head, base } = await double.tips(pull);
  const open = pull.state === "open";
  const mergeable = open ? await double.mergedTree(pull) !== null : null;
  return {
    number: pull.number,
    node_id: `${pull.repo}/${pull.number}`,
    html_url: `${SITE}/${pull.repo}/pull/${pull.number}`,
    state: open ? "open" : "closed",
    draft: pull.draft,
    title: pull.title,
    body: pull.body,
    merged_at: pull.state === "merged" ? "2026-01-02T03:04:05Z" : null,
    merge_commit_sha: pull.merge,
    mergeable,
    mergeable_state: double.locked.has(pull.base) ? "blocked" : mergeable ? "clean" : "dirty",
    head: { ref: pull.head, sha: head, label: `shop:${pull.head}` },
    base: { ref: pull.base, sha: base, label: `shop:${pull.base}` },
    labels: pull.labels.map((name) => ({ name })),
    requested_reviewers: pull.reviewers.map((login) => ({ login })),
  };
}

function problem(message: string, status = 422): DoubleAnswer {
  return { status, body: { message } };
}

/** The answers of GitHub. */
export async function github(
  double: Double,
  { method, path, query, body }: ForgeCall,
): Promise<DoubleAnswer | null> {
  if (path === "graphql") {
    const { id } = body["variables"] as { id: string };
    const [, name = "", number = ""] = /^(.*)\/(\d+)$/.exec(id) ?? [];
    const found = double.find(name, Number(number));
    if (found === undefined) return { status: 200, body: { errors: [{ message: "no such id" }] } };
    found.draft = String(body["query"]).includes("convertPullRequestToDraft");
    return { status: 200, body: { data: {} } };
  }
  const [, repo = "", rest = ""] = /^repos\/shop\/([^/]+)\/(.+)$/.exec(path) ?? [];
  const text = (name: string) => String(body[name] ?? "");
  if (rest === "pulls" && method === "GET") {
    const [, head = ""] = (query.get("head") ?? "").split(/:(.*)/s);
    const found = double.pulls.filter((pull) =>
      pull.repo === repo && pull.head === head && pull.base === query.get("base")
    ).toReversed();
    return { status: 200, body: await Promise.all(found.map((pull) => row(double, pull))) };
  }
  if (rest === "pulls" && method === "POST") {
    const made = await double.create(repo, {
      head: text("head"),
      base: text("base"),
      title: text("title"),
      body: text("body"),
      draft: body["draft"] === true,
    });
    return made === "exists"
      ? problem(`A pull request already exists for shop:${text("head")}.`)
      : made === "no commits"
      ? problem("No commits between them")
      : { status: 201, body: await row(double, made) };
  }
  const [, sha = "", what = ""] = /^commits\/([^/]+)\/(check-runs|status)$/.exec(rest) ?? [];
  if (what === "status") return { status: 200, body: { state: "pending", statuses: [] } };
  if (what === "check-runs") {
    return {
      status: 200,
      body: {
        check_runs: (double.checks.get(sha) ?? []).map(({ name, state }) => ({
          name,
          status: state === "pending" ? "in_progress" : "completed",
          conclusion: state === "pending" ? null : state,
        })),
      },
    };
  }
  const [, branch = ""] = /^rules\/branches\/(.+)$/.exec(rest) ?? [];
  if (branch !== "") {
    const isQueued = double.queued.has(decodeURIComponent(branch));
    return { status: 200, body: isQueued ? [{ type: "merge_queue" }] : [] };
  }
  const [, labelled = ""] = /^issues\/(\d+)\/labels$/.exec(rest) ?? [];
  const [, number = labelled, more = ""] = /^pulls\/(\d+)(?:\/(.+))?$/.exec(rest) ?? [];
  const pull = double.find(repo, Number(number));
  if (pull === undefined) return null;
  if (labelled !== "") {
    pull.labels = [...new Set([...pull.labels, ...body["labels"] as string[]])];
    return { status: 200, body: pull.labels.map((name) => ({ name })) };
  }
  if (more === "requested_reviewers") {
    pull.reviewers = [...new Set([...pull.reviewers, ...body["reviewers"] as string[]])];
    return { status: 201, body: await row(double, pull) };
  }
  if (more === "reviews") {
    return {
      status: 200,
      body: pull.reviews.map(({ user, state, sha: commit_id }) => ({
        user: { login: user },
        state,
        commit_id,
      })),
    };
  }
  if (more === "merge-async" && method === "PUT") {
    return { status: 202, body: { status: "enqueued" } };
  }
  if (more === "merge" && method === "PUT") {
    const came = await double.merge(pull, text("sha"), text("merge_method"));
    return came === "merged"
      ? { status: 200, body: { sha: pull.merge, merged: true } }
      : came === "moved"
      ? problem("Head branch was modified. Review and try the merge again.", 409)
      : problem(came === "locked" ? "Protected branch" : "Pull Request is not mergeable", 405);
  }
  if (more !== "") return null;
  if (method === "PATCH") {
    if ("title" in body) pull.title = text("title");
    if ("body" in body) pull.body = text("body");
    if (body["state"] === "closed") await double.close(pull);
  }
  return { status: 200, body: await row(double, pull) };
}
