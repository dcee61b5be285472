// How GitLab speaks of the pull requests of the double.

import type { Double, DoubleAnswer, ForgeCall, Pull } from "./double.ts";

const SITE = "https://gitlab.com/shop";

async function row(double: Double, pull: Pull): Promise<Record<string, unknown>> {
  const { head, base } = await double.tips(pull);
  const open = pull.state === "open";
  const conflict = open && await double.mergedTree(pull) === null;
  const checks = double.checks.get(head) ?? [];
  const states = checks.map(({ state }) => state);
  const status = states.includes("failure")
    ? "failed"
    : states.includes("pending")
    ? "running"
    : "success";
  const isAsked = pull.reviews.some(({ state }) => state === "CHANGES_REQUESTED");
  return {
    iid: pull.number,
    web_url: `${SITE}/${pull.repo}/-/merge_requests/${pull.number}`,
    state: open ? "opened" : pull.state,
    draft: pull.draft,
    title: pull.title,
    description: pull.body,
    source_branch: pull.head,
    target_branch: pull.base,
    sha: head,
    diff_refs: { base_sha: base, head_sha: head },
    merge_commit_sha: pull.merge,
    has_conflicts: conflict,
    detailed_merge_status: conflict
      ? "conflict"
      : isAsked
      ? "requested_changes"
      : double.locked.has(pull.base)
      ? "policies_denied"
      : "mergeable",
    head_pipeline: checks.length === 0 ? null : { status },
    labels: pull.labels,
    reviewers: pull.reviewers.map((username) => ({ username })),
  };
}

function problem(message: string, status: number): DoubleAnswer {
  return { status, body: { message } };
}

/** The answers of GitLab. */
export async function gitlab(
  double: Double,
  { method, path, query, body }: ForgeCall,
): Promise<DoubleAnswer | null> {
  if (path === "users") {
    const name = query.get("username") ?? "";
    return { status: 200, body: [{ id: name.length, username: name }] };
  }
  const [, repo = "", rest = ""] = /^projects\/shop%2F([^/]+)(?:\/(.+))?$/i.exec(path) ?? [];
  const text = (name: string) => String(body[name] ?? "");
  if (repo !== "" && rest === "") {
    return { status: 200, body: { merge_trains_enabled: double.queued.size > 0 } };
  }
  if (rest === "merge_requests" && method === "GET") {
    const found = double.pulls.filter((pull) =>
      pull.repo === repo && pull.head === query.get("source_branch") &&
      pull.base === query.get("target_branch")
    ).toReversed();
    return { status: 200, body: await Promise.all(found.map((pull) => row(double, pull))) };
  }
  if (rest === "merge_requests" && method === "POST") {
    const title = text("title");
    const made = await double.create(repo, {
      head: text("source_branch"),
      base: text("target_branch"),
      title,
      body: text("description"),
      draft: title.startsWith("Draft: "),
    });
    return made === "exists"
      ? { status: 409, body: { message: ["Another open merge request already exists"] } }
      : made === "no commits"
      ? problem("no commits", 400)
      : { status: 201, body: await row(double, made) };
  }
  const [, train = ""] = /^merge_trains\/merge_requests\/(\d+)$/.exec(rest) ?? [];
  if (train !== "") return { status: 201, body: [] };
  const [, number = "", more = ""] = /^merge_requests\/(\d+)(?:\/(.+))?$/.exec(rest) ?? [];
  const pull = double.find(repo, Number(number));
  if (pull === undefined) return null;
  if (more === "approvals") {
    const by = pull.reviews.filter(({ state }) => state === "APPROVED");
    return {
      status: 200,
      body: {
        approvals_left: 0,
        approved_by: by.map(({ user }) => ({ user: { username: user } })),
      },
    };
  }
  if (more === "merge" && method === "PUT") {
    const came = await double.merge(
      pull,
      text("sha"),
      body["squash"] === true ? "squash" : "merge",
    );
    return came === "merged"
      ? { status: 200, body: await row(double, pull) }
      : came === "moved"
      ? problem("SHA does not match HEAD of source branch", 409)
      : problem("405 Method Not Allowed", 405);
  }
  if (more !== "") return null;
  if (method === "PUT") {
    if ("title" in body) pull.title = text("title");
    if ("title" in body) pull.draft = pull.title.startsWith("Draft: ");
    if ("description" in body) pull.body = text("description");
    if (body["state_event"] === "close") await double.close(pull);
    if ("add_labels" in body) pull.labels.push(...text("add_labels").split(","));
    if ("reviewer_ids" in body) {
      pull.reviewers.push(...(body["reviewer_ids"] as number[]).map((id) => `person ${id}`));
    }
  }
  return { status: 200, body: await row(double, pull) };
}
