/** Which pull requests `amof pr open` would open, with all that they would say (CHANGE-4). */

import type { CommandContext } from "../../../contract/mod.ts";
import type { ForgeKind, PullRequest } from "../../../forge/mod.ts";
import { inPoolOf, repoDirectory } from "../../../workspace/mod.ts";
import type { SkipFact } from "../../outgoing/skip.ts";
import type { PushFact } from "../../push/plan.ts";
import { bodyAsked, linkedBody, templateOf, titleFor, type WordsInput } from "../ensure.ts";
import { beyondBase, seek } from "../look.ts";
import { activeSet, type PlacedSet, pushOf, type SetInput } from "../set.ts";

/** What is known of a repository. */
export interface Found {
  /** Whether its remote is at a forge. */
  readonly forge: boolean;
  readonly base: string;
  /** The commit that its branch is at, or will be pushed at; null where it has none. */
  readonly head: string | null;
  /** How many commits it has beyond its base branch. */
  readonly commits: number;
  /** The pull request from its branch to its base, if there is or was one. */
  readonly change: Pick<PullRequest, "state" | "number" | "head"> | null;
  /** Whether something has to be pushed first. */
  readonly pushes: boolean;
  /** Why the push leaves it out; null where it does not. */
  readonly skip: SkipFact | null;
}

type Decision =
  | { readonly deed: "create" | "link" | "push" }
  | { readonly deed: "none"; readonly reason: string }
  | { readonly deed: "held"; readonly skip: SkipFact };

/** Decides about one repository. */
export function decideOpen(found: Found): Decision {
  const { forge, base, head, commits, change, pushes, skip } = found;
  if (change?.state === "merged" && !pushes && (head === null || head === change.head.sha)) {
    return { deed: "none", reason: `merged as #${change.number}` };
  }
  const isEmpty = head === null || commits === 0;
  // What is not committed yet is no part of a pull request.
  if (skip?.blocked === true && !(isEmpty && change === null && skip.reason === "dirty")) {
    return { deed: "held", skip };
  }
  if (change?.state === "open") return { deed: "link" };
  if (isEmpty) {
    const more = skip?.blocked === true ? `, ${skip.detail}` : "";
    return { deed: "none", reason: `no commits beyond ${base}${more}` };
  }
  if (forge) return { deed: "create" };
  return pushes
    ? { deed: "push" }
    : { deed: "none", reason: "pushed, and its remote is at no forge that is spoken to" };
}

interface OpenInput extends SetInput, WordsInput {
  readonly draft?: boolean | undefined;
}

/** A repository of which something is opened, linked or pushed. */
export interface OpenFact {
  readonly name: string;
  readonly deed: "create" | "link" | "push";
  readonly forge: ForgeKind | null;
  readonly host: string | null;
  readonly branch: string;
  readonly base: string;
  readonly head: string;
  readonly commits: number;
  /** That of one that is open already. */
  readonly number: number | null;
  readonly title: string;
  /** Without the part that links it to the others. */
  readonly body: string;
  readonly draft: boolean;
  /** What it does not have yet. */
  readonly labels: readonly string[];
  readonly reviewers: readonly string[];
  readonly pushes: boolean;
}

/** What a confirmation is bound to. */
export interface OpenFacts {
  readonly ticket_id: string;
  readonly repos_affected: readonly string[];
  readonly repos: readonly OpenFact[];
  readonly push: readonly PushFact[];
  readonly without: readonly { readonly name: string; readonly reason: string }[];
  readonly held: readonly SkipFact[];
}

/** What would be opened; `agreed` is what an earlier look found. */
export async function planOpen(
  ctx: CommandContext,
  input: OpenInput,
  agreed?: OpenFacts,
): Promise<{ readonly facts: OpenFacts; readonly set: PlacedSet }> {
  const set = await activeSet(ctx, input);
  const body = await bodyAsked(ctx, input);
  const [seen, push] = await Promise.all([
    seek(ctx, set),
    pushOf(ctx, set, agreed?.push),
  ]);
  const failed = seen.find(({ error }) => error !== null);
  // Whoever cannot be asked might have one already.
  if (failed?.error) throw failed.error;
  const repos: OpenFact[] = [];
  const without: { name: string; reason: string }[] = [];
  const held: SkipFact[] = [];
  const decided = await inPoolOf(ctx, "comparing", seen, async (one) => {
    const { member, change, forge, local } = one;
    const { base, branch, name, repo } = member;
    const going = push.repos.find((fact) => fact.name === name);
    const skip = push.skipped.find((fact) => fact.name === name) ?? null;
    const head = going?.head ?? local;
    const directory = await repoDirectory(ctx.system, set.workspace.directory, repo);
    const beyond = head === null
      ? null
      : await beyondBase(ctx.git.at(directory, name), member, head);
    const found = {
      forge: forge !== null,
      base,
      head,
      commits: beyond?.commits.length ?? 0,
      change,
      pushes: going !== undefined,
      skip,
    };
    const decision = decideOpen(found);
    if (decision.deed === "none" || decision.deed === "held" || head === null) {
      return { name, decision };
    }
    const isNew = decision.deed === "create";
    const { review } = set.manifest;
    const fact: OpenFact = {
      name,
      deed: decision.deed,
      forge: forge?.kind ?? null,
      host: forge?.slug.host ?? null,
      branch,
      base,
      head,
      commits: found.commits,
      number: isNew ? null : change?.number ?? null,
      title: isNew
        ? input.title ?? titleFor(set.ticket_id, beyond?.commits.at(-1)?.subject ?? "")
        : "",
      body: !isNew || forge === null ? "" : body ??
        await templateOf(ctx, directory, { kind: forge.kind, commit: beyond?.at ?? base }),
      draft: isNew && (input.draft ?? review.draft),
      labels: forge === null
        ? []
        : review.labels.filter((label) => isNew || change?.labels.includes(label) !== true),
      reviewers: isNew ? review.reviewers : [],
      pushes: going !== undefined,
    };
    return { name, decision, fact };
  });
  for (const { name, decision, fact } of decided) {
    if (decision.deed === "none") without.push({ name, reason: decision.reason });
    else if (decision.deed === "held") held.push(decision.skip);
    else if (fact !== undefined) repos.push(fact);
  }
  const making = repos.some(({ deed }) => deed === "create");
  const left = repos.filter((fact) => {
    const change = seen.find(({ name }) => name === fact.name)?.change ?? null;
    return fact.deed !== "link" || making || fact.pushes || fact.labels.length > 0 ||
      (change !== null && linkedBody(set, fact.name, change, seen) !== change.body);
  });
  return {
    set,
    facts: {
      ticket_id: set.ticket_id,
      repos_affected: left.map(({ name }) => name),
      repos: left,
      push: push.repos.filter((fact) => left.some(({ name }) => name === fact.name)),
      without: [
        ...without,
        ...repos.filter((fact) => !left.includes(fact)).map(({ name, number }) => ({
          name,
          reason: `open as #${number}`,
        })),
      ],
      held,
    },
  };
}
