/**
 * What the recording of the README shows: a change in two of six repositories, from the first look to the remotes.
 *
 * @module
 */

import { join } from "@std/path";
import { install, SIX } from "../pages/scenery.ts";
import { World } from "../support/world.ts";
import { type Frame, type Line, Recorder } from "./terminal.ts";

/** The same moment for all commits, so that they have the same hashes every time. */
const MOMENT = "2026-03-02T14:30:00Z";

/** What git and the program get besides: commits of one person at one moment, and colours. */
const ENV = {
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "ada@example.com",
  GIT_COMMITTER_NAME: "Ada",
  GIT_COMMITTER_EMAIL: "ada@example.com",
  GIT_AUTHOR_DATE: MOMENT,
  GIT_COMMITTER_DATE: MOMENT,
  TZ: "UTC",
  AMOF_NOTIFY: "off",
  AMOF_NEXT_STEPS: "off",
  NO_COLOR: "",
};

/**
 * What differs every time, each of which is shown as something of the same length: ids of runs, commits, durations. One
 * in forty ids has no letter.
 */
const CHANGING =
  /\b(?:[0-9a-f]{8}|(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40})\b|\b(\d+(?:\.\d)?)(?=(?: ms|m?s)\b)/g;

/** Digits that look like the beginning of a hash. */
const DIGITS = "4e8c1d72aa01b9f3650d7c2e8a914bf06d35e7c1";

/** Replaces what differs every time. */
class Steady {
  readonly #known = new Map<string, string>();

  text(text: string): string {
    return text.replaceAll(CHANGING, (word, length?: string) => {
      if (length !== undefined) return "0.8".slice(0, word.length).padEnd(word.length, "0");
      // The beginning of one that was shown longer stays its beginning.
      const longer = [...this.#known].find(([each]) => each.startsWith(word))?.[1];
      if (longer !== undefined) return longer.slice(0, word.length);
      const at = this.#known.size * 3 % DIGITS.length;
      const shown = (DIGITS.slice(at) + DIGITS).slice(0, word.length);
      this.#known.set(word, shown);
      return shown;
    });
  }

  line(line: Line): Line {
    return line.map((span) => ({ ...span, text: this.text(span.text) }));
  }
}

/** What there is before the first command: six repositories, two of them with news. */
async function prepare(world: World): Promise<void> {
  await install(world, "shop", SIX);
  const seed = join(world.directory, "seed", "search");
  await Deno.writeTextFile(join(seed, "index.ts"), "// titles first\n");
  await world.git(seed, "add", "index.ts");
  await world.git(seed, "commit", "--quiet", "-m", "Index titles first");
  await world.git(seed, "push", "--quiet", join(world.remotes, "search.git"), "main");
  await world.git(world.clone("search", "shop"), "fetch", "--quiet");
}

/** A recording: its frames, and how long all of it takes. */
export interface Recording {
  readonly frames: readonly Frame[];
  readonly seconds: number;
}

/** Types the tape at the real program. */
export async function record(): Promise<Recording> {
  await using world = await World.make();
  Object.assign(world.env, ENV);
  await prepare(world);
  const person = new Recorder(world, ENV);
  const repos = "worktrees/shop/repos";
  await person.says("six repositories, one command");
  await person.runs("amof status");
  await person.says("a ticket: the same branch in two of them");
  await person.runs("amof ticket start SHOP-142 --repo api,web");
  await person.runs(`for r in api web; do echo "Say hello" >> ${repos}/$r/README.md; done`);
  await person.runs('amof commit -m "SHOP-142 Say hello"', [[/\[y\/N/, "y\r"]]);
  await person.runs("amof push", [[/\[y\/N/, "y\r"]]);
  await person.says("changed your mind? amof undo takes back what nobody else has");
  await person.runs("amof operations");
  const steady = new Steady();
  return {
    frames: person.frames.map((frame) => ({
      ...frame,
      lines: frame.lines.map((line) => steady.line(line)),
    })),
    seconds: person.seconds,
  };
}
