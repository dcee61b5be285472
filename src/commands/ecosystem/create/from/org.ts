/** Lists the repositories of an organisation through the user's own `gh` or `glab`, which has the sign-in. */

import { type Fields, fieldsOf, isObject, jsonIn } from "../../../../base/object.ts";
import { AmofError } from "../../../../base/error.ts";
import type { CommandContext } from "../../../../contract/mod.ts";
import { hostOf, tail } from "../../../../git/mod.ts";
import type { ProcessRequest, ProcessResult } from "../../../../base/system/mod.ts";
import { cleanLine } from "../../../../base/text/sanitize.ts";
import { shellWord } from "../../../../base/text/words.ts";
import { type Imported, type Listed, listed } from "../../../../workspace/import/mod.ts";
import type { LeftOut } from "../settle.ts";

/** What is asked of an organisation. */
export interface OrganisationInput {
  readonly from_org?: string | undefined;
  readonly forge?: Forge | undefined;
  readonly archived: boolean;
  readonly forks: boolean;
}

/** A repository as either program describes it. */
interface Project {
  readonly name: string;
  readonly ssh: string;
  readonly https: string;
  readonly branch: string | null;
  readonly archived: boolean;
  readonly fork: boolean;
}

/** How many repositories are listed at most. */
const MOST = 1_000;
const PAGE = 100;
const LIMIT_MS = 60_000;
const FIELDS = "name,url,sshUrl,defaultBranchRef,isArchived,isFork";

const SITES: Readonly<Record<Forge, { readonly name: string; readonly get: string }>> = {
  gh: { name: "GitHub", get: "https://cli.github.com" },
  glab: { name: "GitLab", get: "https://gitlab.com/gitlab-org/cli" },
};

/** The question by which a person sees what an organisation has. */
export function byHand(program: Forge, organisation: string): string {
  return program === "gh"
    ? `gh repo list ${shellWord(organisation)}`
    : `glab api groups/${encodeURIComponent(organisation)}/projects`;
}

function run(ctx: CommandContext, program: Forge, args: readonly string[]): Promise<ProcessResult> {
  return ctx.system.processes.run({
    command: program,
    args,
    // The configuration of a working copy must not decide which host is asked.
    cwd: ctx.system.env.home ?? ctx.root,
    env: { GH_PROMPT_DISABLED: "1", GH_NO_UPDATE_NOTIFIER: "1", NO_PROMPT: "1", NO_COLOR: "1" },
    timeoutMs: LIMIT_MS,
    signal: ctx.signal,
    maxOutputBytes: 16 * 1024 * 1024,
  });
}

/** What went wrong, as an error that says what to do. */
function failure(program: Forge, organisation: string, result: ProcessResult): AmofError {
  const { name, get } = SITES[program];
  const what = `Cannot list the repositories of ${cleanLine(organisation, 80)}`;
  const details = { program, organisation, exit_code: result.exitCode };
  if (result.cancelled) return new AmofError("cancelled", `${what}: stopped`);
  if (result.startError === "not_found") {
    return new AmofError("invalid_arguments", `${what}: ${program} is not installed`, {
      hint: `Install it from ${get}, or make a list of the addresses and use --from FILE`,
      details: { ...details, field: "from_org" },
    });
  }
  if (result.timedOut) {
    return new AmofError("timeout", `${what}: ${program} gave no answer in ${LIMIT_MS / 1000} s`, {
      hint: `Try it by hand: ${program} auth status`,
      details,
    });
  }
  // What is wrong stands first; what could have been written instead, behind it.
  const all = tail(result.stderr, Infinity).slice(0, 10);
  const said = all.slice(0, 3).join("; ");
  const signedOut = all.some((line) =>
    /auth login|not logged in|authentication|401|no token|GH_TOKEN/i.test(line)
  );
  if (signedOut) {
    return new AmofError("auth_failed", `${what}: ${program} is not signed in to ${name}`, {
      hint: `Sign in: ${program} auth login`,
      details: { ...details, reason: cleanLine(said, 300) },
    });
  }
  return new AmofError(
    "subprocess_failed",
    `${what}: ${program} ${said === "" ? `ended with ${result.exitCode}` : `says: ${said}`}`,
    {
      hint: /unknown (?:json field|flag|command)/i.test(said)
        ? `Update ${program}: ${get}`
        : `Try it by hand: ${byHand(program, organisation)}`,
      details,
    },
  );
}

function jsonList(
  result: ProcessResult,
  program: Forge,
  organisation: string,
): readonly Fields[] {
  if (result.exitCode !== 0) throw failure(program, organisation, result);
  const value = jsonIn(result.stdout);
  if (Array.isArray(value)) return value.filter(isObject);
  throw new AmofError(
    "subprocess_failed",
    `Cannot list the repositories of ${
      cleanLine(organisation, 80)
    }: ${program} printed no JSON list`,
    { hint: `Update ${program}: ${SITES[program].get}`, details: { program } },
  );
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

async function ofGitHub(ctx: CommandContext, organisation: string): Promise<Project[]> {
  const args = ["repo", "list", organisation, "--json", FIELDS, "--limit", `${MOST}`];
  const result = await run(ctx, "gh", args);
  return jsonList(result, "gh", organisation).map((repo) => {
    const name = text(fieldsOf(repo["defaultBranchRef"])["name"]);
    return {
      name: text(repo["name"]),
      ssh: text(repo["sshUrl"]),
      https: text(repo["url"]),
      branch: name === "" ? null : name,
      archived: repo["isArchived"] === true,
      fork: repo["isFork"] === true,
    };
  });
}

async function ofGitLab(ctx: CommandContext, organisation: string): Promise<Project[]> {
  const found: Project[] = [];
  for (let page = 1; found.length < MOST; page++) {
    const query = `include_subgroups=true&with_shared=false&per_page=${PAGE}&page=${page}`;
    const path = `groups/${encodeURIComponent(organisation)}/projects?${query}`;
    const rows = jsonList(await run(ctx, "glab", ["api", path]), "glab", organisation);
    found.push(...rows.map((repo) => ({
      name: text(repo["path"]),
      ssh: text(repo["ssh_url_to_repo"]),
      https: text(repo["http_url_to_repo"]),
      branch: text(repo["default_branch"]) || null,
      archived: repo["archived"] === true,
      fork: repo["forked_from_project"] !== undefined && repo["forked_from_project"] !== null,
    })));
    if (rows.length < PAGE) break;
  }
  return found;
}

/** Lists with the program that is asked for, or else the first that is installed. Throws where none can say. */
export async function listOrganisation(
  ctx: CommandContext,
  organisation: string,
  { forge, archived, forks }: OrganisationInput,
): Promise<
  { readonly program: Forge; readonly list: Imported; readonly leftOut: readonly LeftOut[] }
> {
  let program: Forge = forge ?? "gh";
  let usual = await run(ctx, program, protocolWords(null));
  if (forge === undefined && usual.startError === "not_found") {
    const other = await run(ctx, "glab", protocolWords(null));
    if (other.startError !== "not_found") [program, usual] = ["glab", other];
  }
  if (usual.startError !== null) throw failure(program, organisation, usual);
  const found = program === "gh"
    ? await ofGitHub(ctx, organisation)
    : await ofGitLab(ctx, organisation);
  const host = hostOf(found[0]?.https ?? "");
  const ofHost = host === "" ? usual : await run(ctx, program, protocolWords(host));
  const protocol = ofHost.exitCode === 0 && ofHost.stdout.trim() !== "" ? ofHost : usual;
  const repos: Listed[] = [];
  const leftOut: LeftOut[] = [];
  for (const repo of found) {
    const reason = repo.archived && !archived
      ? "it is archived (--archived takes it)"
      : repo.fork && !forks
      ? "it is a fork (--forks takes it)"
      : null;
    if (reason !== null) {
      leftOut.push({ what: cleanLine(repo.name, 80), reason });
      continue;
    }
    const url = protocol.stdout.trim() === "ssh" ? repo.ssh : repo.https;
    repos.push(listed({
      what: repo.name,
      name: repo.name,
      url: url === "" ? repo.https || repo.ssh : url,
      branch: repo.branch,
      readonly: repo.archived,
    }));
  }
  return {
    program,
    list: {
      repos: repos.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
      groups: {},
      notes: found.length >= MOST ? [`Only the first ${MOST} repositories were listed`] : [],
    },
    leftOut,
  };
}

/** The programs that can be asked, the preferred one first. */
export const FORGES = ["gh", "glab"] as const;
/** One of them. */
type Forge = typeof FORGES[number];

/** The words with which a program is asked which protocol its user prefers; signing in sets it for one host. */
function protocolWords(host: string | null): string[] {
  return ["config", "get", "git_protocol", ...(host === null ? [] : ["--host", host])];
}

/** Whether a program is one of these, with a question that changes nothing. */
export function isForgeQuestion({ command, args }: ProcessRequest): boolean {
  if (!(FORGES as readonly string[]).includes(command)) return false;
  const words = protocolWords(args[4] ?? null);
  if (args.length === words.length && words.every((word, at) => args[at] === word)) return true;
  return command === "gh"
    ? args[0] === "repo" && args[1] === "list"
    : args[0] === "api" && args.length === 2 && (args[1] ?? "").startsWith("groups/");
}
