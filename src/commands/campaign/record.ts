/**
 * What is stored of campaigns, below the state directory. Each one has a file that says what it is, and a
 * journal with the state of each repository. So a process that is killed loses nothing (CAMP-4).
 */

import { join } from "@std/path";
import { AmofError } from "../../base/error.ts";
import type { Authorship } from "../../git/write/mod.ts";
import { sha256 } from "../../base/hash.ts";
import { isBranchName } from "../../base/ids.ts";
import { isObject, jsonIn } from "../../base/object.ts";
import type { Layout } from "../../state/store/mod.ts";
import type { Files } from "../../base/system/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { didYouMean, meantText, shellWord } from "../../base/text/words.ts";

/** What is run, and where, in the words of whoever began it. */
export interface CampaignWish {
  readonly command: readonly string[] | null;
  readonly shell: string | null;
  readonly task: string | null;
  readonly repos: readonly string[];
  readonly tags: readonly string[];
  readonly only: readonly string[];
  /** Names of variables; null where nothing was said. */
  readonly env: readonly string[] | null;
  readonly time_limit: string | null;
  readonly engine: string;
  readonly shards: number | null;
}

interface ApprovedShape {
  readonly shape: string;
  /** UTC. */
  readonly at: string;
  readonly by: string;
}

/** A campaign. */
export interface Campaign {
  readonly v: 1;
  readonly name: string;
  readonly root: string;
  readonly ecosystem: string;
  /** The branch its commits are pushed to. */
  readonly branch: string;
  readonly message: string;
  /** Who its commits are by. */
  readonly author: Authorship;
  readonly wish: CampaignWish;
  /** UTC. */
  readonly created: string;
  readonly state: "open" | "closed";
  /** The run whose commits have not all come home yet; null where none is under way. */
  readonly run: string | null;
  readonly approved: readonly ApprovedShape[];
}

/**
 * The state of a repository. `merged`: a commit was pushed, and there is nothing to change any more. `refused`:
 * it had another base than was agreed, or a commit that is not the agreed one. `lost`: no end was reported.
 */
export type RowState =
  | "changed"
  | "unchanged"
  | "merged"
  | "failed"
  | "timed_out"
  | "held_back"
  | "too_large"
  | "unreachable"
  | "refused"
  | "cancelled"
  | "lost";

/** A commit that is on the remote branch because of this campaign. */
export interface Pushed {
  readonly commit: string;
  /** UTC. */
  readonly at: string;
}

/** How one repository stands. */
export interface CampaignRow {
  readonly repo: string;
  readonly url: string;
  readonly base_branch: string;
  /** The commit the program ran on; null where it was not begun. */
  readonly base: string | null;
  readonly state: RowState;
  /** Why it stands so; empty where its state says all. */
  readonly detail: string;
  /** The commit with what was changed; null where there is none. */
  readonly commit: string | null;
  readonly shape: string | null;
  /** How many files it changes. */
  readonly files: number;
  /** The hash of its pack, hexadecimal. */
  readonly pack: string | null;
  readonly pushed: Pushed | null;
  /** A commit that a push was about to send when nothing more was heard of it: it is there, or it is not. */
  readonly sending?: string;
  /** The number of the pull request from the branch that was pushed. */
  readonly change?: number;
}

/** The commits that are on the remote branch because of this campaign, if they are there: one at a time. */
export function ownCommits({ pushed, sending }: CampaignRow): readonly string[] {
  return [...pushed === null ? [] : [pushed.commit], ...sending === undefined ? [] : [sending]];
}

/** Whether a text can be the name of a campaign. */
export function isCampaignName(name: string): boolean {
  return /^[\p{L}\p{N}][\p{L}\p{N}\p{M}._-]{0,63}$/u.test(name) && isBranchName(`campaign/${name}`);
}

/** Where campaigns are kept. */
export class Campaigns {
  readonly #files: Files;
  readonly #directory: string;
  readonly #root: string;
  readonly #ecosystem: string;

  constructor(
    { files, layout, root, ecosystem }: {
      readonly files: Files;
      readonly layout: Layout;
      readonly root: string;
      readonly ecosystem: string;
    },
  ) {
    this.#files = files;
    this.#directory = join(layout.state, "campaigns");
    this.#root = root;
    this.#ecosystem = ecosystem;
  }

  /** The directory of a campaign, absolute; it may not be there. */
  directory(name: string): string {
    // Names that some file systems take for one are apart here.
    const id = sha256([this.#root, this.#ecosystem, name.normalize("NFC")].join("\0"));
    return join(this.#directory, id.slice(0, 32));
  }

  /** All campaigns of the ecosystem, the newest first. */
  async list(): Promise<readonly Campaign[]> {
    const all: Campaign[] = [];
    for (const { name } of await this.#files.list(this.#directory)) {
      const campaign = await this.#read(join(this.#directory, name));
      if (campaign?.root === this.#root && campaign.ecosystem === this.#ecosystem) {
        all.push(campaign);
      }
    }
    return all.toSorted((a, b) =>
      b.created.localeCompare(a.created) || a.name.localeCompare(b.name)
    );
  }

  /** The campaign of a name, or null. Throws `state_corrupt` where its file cannot be read. */
  async find(name: string): Promise<Campaign | null> {
    return await this.#read(this.directory(name));
  }

  /** The campaign of a name; throws `invalid_arguments` where there is none. */
  async get(name: string): Promise<Campaign> {
    const campaign = await this.find(name);
    if (campaign !== null) return campaign;
    const names = (await this.list()).map((one) => one.name);
    throw new AmofError(
      "invalid_arguments",
      `Cannot find campaign "${cleanLine(name, 64)}"${meantText(didYouMean(name, names))}`,
      {
        hint: names.length === 0
          ? `There is none yet\nBegin it: amof campaign start ${
            shellWord(cleanLine(name, 64))
          } -- PROGRAM`
          : "See them: amof campaign status",
        details: { campaign: cleanLine(name, 64), available: names },
      },
    );
  }

  /** The campaign of a name that is open; throws `invalid_arguments` where it is closed, or there is none. */
  async open(name: string): Promise<Campaign> {
    const campaign = await this.get(name);
    if (campaign.state === "open") return campaign;
    throw new AmofError(
      "invalid_arguments",
      `Cannot go on with campaign "${campaign.name}": it is closed`,
      {
        hint: "Begin another one: amof campaign start NAME -- PROGRAM",
        details: { campaign: campaign.name },
      },
    );
  }

  async #read(directory: string): Promise<Campaign | null> {
    const path = join(directory, "campaign.json");
    const text = await this.#files.readText(path);
    if (text === null) return null;
    const campaign = jsonIn(text);
    if (isObject(campaign) && campaign["v"] === 1) return campaign as unknown as Campaign;
    throw new AmofError("state_corrupt", `Cannot read what was noted of a campaign: ${path}`, {
      hint: "Put its file aside: commits that were pushed are on their remotes",
      details: { path },
    });
  }

  /** Writes down what a campaign is. */
  async put(campaign: Campaign): Promise<void> {
    const directory = this.directory(campaign.name);
    await this.#files.makeDirectory(directory, { mode: 0o700 });
    await this.#files.write(
      join(directory, "campaign.json"),
      `${JSON.stringify(campaign, null, 2)}\n`,
      { mode: 0o600 },
    );
  }

  /** Forgets what an earlier campaign of the name has left, which is closed. */
  async forget(name: string): Promise<void> {
    const directory = this.directory(name);
    for (const file of ["repos.jsonl", "campaign.json"]) {
      await this.#files.remove(join(directory, file));
    }
    for (const inside of ["packs", "shapes", "arrived"]) {
      await this.#files.removeTree(join(directory, inside));
    }
  }

  #journal(name: string): string {
    return join(this.directory(name), "repos.jsonl");
  }

  /** How all repositories of a campaign stand, by their names. */
  async rows(name: string): Promise<ReadonlyMap<string, CampaignRow>> {
    const rows = new Map<string, CampaignRow>();
    const text = await this.#files.readText(this.#journal(name)) ?? "";
    for (const line of text.split("\n")) {
      const row = jsonIn(line);
      // Written by this program, but for a line at which it was killed.
      if (isObject(row) && typeof row["repo"] === "string") {
        rows.set(row["repo"], row as unknown as CampaignRow);
      }
    }
    return rows;
  }

  /** Writes down how repositories stand from now on. */
  async note(name: string, rows: readonly CampaignRow[]): Promise<void> {
    if (rows.length === 0) return;
    // A line break in front: who wrote before may have been killed within a line.
    const text = `\n${rows.map((row) => JSON.stringify(row)).join("\n")}\n`;
    await this.#files.append(this.#journal(name), text, { mode: 0o600 });
  }

  /** The file with the pack of a commit, absolute. */
  pack(name: string, hash: string): string {
    return join(this.directory(name), "packs", `${hash}.pack`);
  }

  /** The file with a shape, absolute. */
  shape(name: string, hash: string): string {
    return join(this.directory(name), "shapes", `${hash}.json`);
  }

  /** Does work on a campaign while nobody else works on it. Throws `state_busy` where another process does. */
  async alone<T>(name: string, work: () => Promise<T>): Promise<T> {
    await this.#files.makeDirectory(this.directory(name), { mode: 0o700 });
    const lock = await this.#files.lock(join(this.directory(name), "campaign.lock"));
    if (lock !== null) {
      try {
        return await work();
      } finally {
        await lock.release();
      }
    }
    throw new AmofError("state_busy", `Cannot work on campaign "${name}": another process does`, {
      hint: `See how it stands: amof campaign status ${shellWord(name)}`,
      details: { campaign: name },
    });
  }
}
