/**
 * Clones whose `origin` is the remote of another repository of the manifest: nothing is sent there, and nothing deleted.
 * Any other address may be that of a fork.
 */

import type { CommandContext } from "../../contract/mod.ts";
import { otherAddress, otherAddressWords, repoAt } from "../../workspace/clones/mod.ts";
import type { Repo } from "../../workspace/manifest/mod.ts";
import type { Refusal, WorkspaceState } from "../../workspace/mod.ts";
import { syncOf } from "../advice/head.ts";

/** What decides: all repositories, and the workspace that the clone is in. */
interface Terms {
  readonly repos: readonly Pick<Repo, "name" | "url">[];
  readonly state: WorkspaceState | null;
}

/** The repository whose remote it is, what is said of that, and what mends it; null at its own address or at a fork's. */
export function strayedWords(
  { repo, directory, address }: {
    readonly repo: Pick<Repo, "name" | "url">;
    readonly directory: string;
    readonly address: string | null;
  },
  { repos, state }: Terms,
): { readonly other: string; readonly said: string; readonly fix: string } | null {
  const other = repoAt(address, repo.name, repos);
  if (other === null || address === null) return null;
  const [said, mend] = otherAddressWords(repo, directory, address);
  return {
    other: other.name,
    said,
    // What is fetched here came from the other address.
    fix: `mend its address: ${mend}\nthen fetch from there: ${syncOf([repo.name], state)}`,
  };
}

/** The same of a clone that nobody has looked at yet, as a refusal. */
export async function refusedIfStrayed(
  ctx: Pick<CommandContext, "git">,
  { repo, directory }: { readonly repo: Pick<Repo, "name" | "url">; readonly directory: string },
  terms: Terms,
): Promise<Refusal | null> {
  const address = await otherAddress(ctx.git.at(directory, repo.name), repo.url);
  const words = strayedWords({ repo, directory, address }, terms);
  return words === null ? null : {
    repo: repo.name,
    code: "push_refused",
    problem: `has the remote of ${words.other}: ${words.said}`,
    fix: words.fix,
  };
}
