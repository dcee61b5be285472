// How Gitea and Forgejo speak of the pull requests of the double.

import type { Double, DoubleAnswer, ForgeCall, Pull } from "./double.ts";

async function row(double: Double, pull: Pull): Promise<Record<string, unknown>> {
  const { head, base } = await double.tips(pull);
  return {
    number: pull.number,
    html_url: `http://127.0.0.1:${double.port}/shop/${pull.repo}/pulls/${pull.number}`,
    state: pull.state === "open" ? "open" : "closed",
    merged: pull.state === "merged",
    merge_commit_sha: pull.merge,
    mergeable: pull.state === "open" && await double.mergedTree(pull) !== null,
    draft: pull.draft,
    title: pull.title,
    body: pull.body,
    head: { ref: pull.head, sha: head },
    base: { ref: pull.base, sha: base },
    labels: pull.labels.map((name) => ({ name })),
    requested_reviewers: pull.reviewers.map((login) => ({ login })),
  };
}

function problem(message: string, status: number): DoubleAnswer {
  return { status, body: { message, url: "/api/swagger" } };
}

/** The answers of Gitea. */
export async function gitea(
  double: Double,
  { method, path, query, body }: ForgeCall,
): Promise<DoubleAnswer | null> {
  const [, repo = "", rest = ""] = /^repos\/shop\/([^/]+)\/(.+)$/.exec(path) ?? [];
  const text = (name: string) => String(body[name] ?? "");
  if (rest === "pulls" && method === "GET") {
    const limit = Number(query.get("limit"));
    const from = (Number(query.get("page")) - 1) * limit;
    const found = double.pulls.filter((pull) => pull.repo === repo).toReversed()
      .slice(from, from + limit);
    return { status: 200, body: await Promise.all(found.map((pull) => row(double, pull))) };
  }
  if (rest === "pulls" && method === "POST") {
    const title = text("title");
    const made = await double.create(repo, {
      head: text("head"),
      base: text("base"),
      title,
      body: text("body"),
      draft: title.startsWith("WIP: "),
    });
    return made === "exists"
      ? problem("pull request already exists for these targets", 409)
      : made === "no commits"
      ? problem("there are no changes", 422)
      : { status: 201, body: await row(double, made) };
  }
  const [, sha = ""] = /^commits\/([^/]+)\/status$/.exec(rest) ?? [];
  if (sha !== "") {
    const statuses = (double.checks.get(sha) ?? []).map(({ name, state }) => ({
      context: name,
      status: state,
    }));
    return { status: 200, body: { statuses } };
  }
  const [, labelled = ""] = /^issues\/(\d+)\/labels$/.exec(rest) ?? [];
  const [, number = labelled, more = ""] = /^pulls\/(\d+)(?:\/(.+))?$/.exec(rest) ?? [];
  const pull = double.find(repo, Number(number));
  if (pull === undefined) return null;
  if (labelled !== "") {
    pull.labels = [...new Set([...pull.labels, ...body["labels"] as string[]])];
    return { status: 200, body: [] };
  }
  if (more === "requested_reviewers") {
    pull.reviewers = [...new Set([...pull.reviewers, ...body["reviewers"] as string[]])];
    return { status: 201, body: [] };
  }
  if (more === "reviews") {
    return {
      status: 200,
      body: pull.reviews.map(({ user, state, sha: commit_id }) => ({
        user: { login: user },
        state: state === "CHANGES_REQUESTED" ? "REQUEST_CHANGES" : state,
        commit_id,
      })),
    };
  }
  if (more === "merge" && method === "POST") {
    const came = await double.merge(pull, text("head_commit_id"), text("Do"));
    return came === "merged"
      ? { status: 200 }
      : came === "moved"
      ? problem("head out of date", 409)
      : problem("not allowed to merge", 405);
  }
  if (more !== "") return null;
  if (method === "PATCH") {
    if ("title" in body) pull.title = text("title");
    if ("title" in body) pull.draft = pull.title.startsWith("WIP: ");
    if ("body" in body) pull.body = text("body");
    if (body["state"] === "closed") await double.close(pull);
  }
  return { status: method === "PATCH" ? 201 : 200, body: await row(double, pull) };
}
