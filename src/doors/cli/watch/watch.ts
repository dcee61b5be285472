/**
 * Shows the answer of a query again whenever something changes, until the person quits: `status --watch`.
 *
 * What is shown is what the command answers and renders; only the screen, the keys and the looking again are here.
 */

import { join } from "@std/path";
import type { Fields } from "../../../base/object.ts";
import type { App } from "../../../pipeline/app.ts";
import type { Call } from "../../../pipeline/preview.ts";
import type { Outcome } from "../../../pipeline/envelope.ts";
import type { GlobalFlags } from "../../../pipeline/line/flags.ts";
import { ownCommand } from "../../../pipeline/registry.ts";
import { carryOut } from "../../../pipeline/pipeline.ts";
import { wordingFor } from "../../../pipeline/wording.ts";
import type { Query, Reporter, Wording } from "../../../contract/mod.ts";
import { AmofError, EXIT, toAmofError } from "../../../base/error.ts";
import { cleanLine, stripUnsafe } from "../../../base/text/sanitize.ts";
import { meansAll } from "../../../contract/input.ts";
import { writeOutcome } from "../render.ts";
import { FullScreen, keysIn } from "./full_screen.ts";
import { ALL_KEY, FIRST_VIEW, press, screen, settled, type Sheet, type View } from "./view.ts";
import { blocks, cleanParts } from "../../../base/text/parts.ts";
import { layOutParts } from "../layout.ts";

/** The rows of an answer, one for each repository. */
function rowsIn(envelope: Fields, member: string): readonly Fields[] {
  const rows = envelope[member];
  return Array.isArray(rows) ? rows as readonly Fields[] : [];
}

/** The repository whose row in a table this line is: the first word says its name, perhaps behind a mark. */
function repoOf(line: string, names: ReadonlySet<string>): string | null {
  const word = /^ *(?:[✓✗⚠–] )?(\S+)(?: {2}|$)/u.exec(line)?.[1];
  return word !== undefined && names.has(word) ? word : null;
}

/** Lays an answer out as the command itself renders it, narrowed to what the view asks for. */
export function sheetOf(
  command: Query,
  { envelope, input, say }: {
    readonly envelope: Fields;
    readonly input: Fields;
    readonly say: Wording;
  },
  { view, columns, note }: {
    readonly view: View;
    readonly columns: number;
    readonly note: string;
  },
): Sheet {
  const { member = "", isTrouble = () => true } = command.watches ?? {};
  const wanted = view.filter.toLowerCase();
  const rows = rowsIn(envelope, member).filter((row) =>
    String(row["name"]).toLowerCase().includes(wanted) &&
    (view.scope !== "trouble" || isTrouble(row))
  );
  const rendered = command.render(
    { ...envelope, [member]: rows },
    view.scope === "usual" ? input : { ...input, all: true },
    say,
  );
  const names = new Set(rows.map(({ name }) => String(name)));
  const parts = blocks(cleanParts(rendered.details), cleanParts(rendered.notes));
  const lines = layOutParts(parts, columns, ALL_KEY).split("\n").map((text) => ({
    text,
    repo: repoOf(stripUnsafe(text), names),
  }));
  const shown = new Set(lines.map(({ repo }) => repo));
  return {
    summary: rendered.summary,
    lines,
    folded: [...names].some((name) => !shown.has(name)),
    note,
  };
}

/** How often is looked at least: files in a working copy change without git being told. */
const POLL_MS = 2_000;
/** Looking takes at most this share of the time: one part in so many. */
const SHARE = 5;
/** A host is asked so often while something changes there, */
const HOST_MS = 30_000;
/** and where nothing does, each time later by this factor, */
const FACTOR = 1.5;
/** but at least so often. */
const HOST_MOST_MS = 300_000;

/**
 * The milliseconds from a look that took `took` of them to the next one. `same` looks in a row have found what the one
 * before had; it is null where no host is asked.
 */
export function pauseMs(took: number, same: number | null): number {
  if (same === null) return Math.max(POLL_MS, SHARE * took);
  return Math.max(SHARE * took, Math.min(HOST_MOST_MS, Math.round(HOST_MS * FACTOR ** same)));
}

/** The milliseconds from `now` for which a host that answered with this wants to be left alone; 0 where it does not say. */
export function restOf({ error, details }: Fields, now: number): number {
  if (error !== "forge_limited") return 0;
  const until = Date.parse(String((details as Fields | undefined)?.["resets_at"]));
  return Number.isFinite(until) ? Math.max(0, until - now) : 0;
}

/** Changes that come so close together are looked at once. */
const SETTLE_MS = 150;

/** What makes a terminal sound. */
const BELL = "\u0007";

/** Nobody is told how far a look is: the last one is still on the screen. */
const SILENT: Reporter = { log() {}, progress() {} };

/** What can be watched, and how a repository is opened. */
interface Watched {
  readonly app: App;
  readonly command: Query;
  readonly call: Call;
  readonly flags: GlobalFlags;
  /** Opens a repository as `amof open` does; answers its exit code, or throws what went wrong. */
  readonly open: (repo: string) => Promise<number>;
}

/** Refuses to watch where nobody could look or type. */
function insistOnTerminal({ app, call, command, flags }: Watched): void {
  const { env, terminal } = app.system;
  const words = `amof ${command.path.join(" ")}`;
  if (meansAll(call.args)) {
    throw new AmofError(
      "invalid_arguments",
      "Cannot watch with --all-tickets: the screen has one row for each name of a repository",
      { hint: `Look once: ${words} --all-tickets\nWatch one: ${words} --ticket ID --watch` },
    );
  }
  if (flags.json) {
    throw new AmofError("invalid_arguments", "Cannot watch with --json: that is one answer", {
      hint: `Look once: ${words} --json`,
    });
  }
  const dumb = env.get("TERM") === "dumb";
  if (terminal.stdinIsTerminal && terminal.stdoutIsTerminal && !dumb) return;
  throw new AmofError(
    "invalid_arguments",
    `Cannot watch: ${
      dumb ? "this terminal cannot move its cursor (TERM=dumb)" : "this is no terminal"
    }`,
    { hint: `Look once: ${words}` },
  );
}

/** Where git notes what happens in a repository: its head and index, its branches, and what was fetched. */
function gitDirectories(directory: string): string[] {
  const git = join(directory, ".git");
  const places = ["reftable", join("refs", "heads"), join("refs", "remotes", "origin")];
  return [git, ...places.map((place) => join(git, place))];
}

/** One watching, from the first answer to the last key. */
class Watching {
  readonly #of: Watched;
  readonly #screen: FullScreen;
  readonly #over = Promise.withResolvers<void>();
  #outcome: Outcome;
  /** The members of the last good answer. */
  #envelope: Fields;
  #view: View = FIRST_VIEW;
  #note = "";
  #looking: AbortController | null = null;
  #again = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** So many looks in a row have found what the one before had. */
  #same = 0;
  /** The requests that wait for a person; null before the first look. */
  #waiting: readonly string[] | null = null;

  constructor(of: Watched, first: Outcome, screen: FullScreen) {
    this.#of = of;
    this.#outcome = first;
    this.#envelope = first.envelope;
    this.#screen = screen;
  }

  /** Watches until the person quits or the program is asked to end. */
  async run(directories: readonly string[]): Promise<void> {
    const { files, terminal } = this.#of.app.system;
    const stops = [
      files.watch(directories, () => this.#plan(SETTLE_MS)),
      terminal.onInterrupt(() => this.#over.resolve()),
      terminal.onDisplay((what) => {
        if (what === "resumed") this.#screen.retake();
        this.#draw(true);
      }),
    ];
    try {
      this.#enter();
      await this.#heed();
      this.#noted();
      this.#draw();
      this.#plan(this.#pause(0));
      await this.#over.promise;
    } finally {
      clearTimeout(this.#timer);
      for (const stop of stops) stop();
      this.#looking?.abort();
      this.#screen.leave();
    }
  }

  #enter(): void {
    this.#screen.enter((text) => this.#typed(text));
  }

  /** Looks again in so many milliseconds, or sooner where that was planned already. */
  #plan(ms: number): void {
    if (this.#looking !== null) {
      this.#again ||= ms < POLL_MS;
      return;
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look().catch(this.#over.reject), ms);
  }

  async #look(): Promise<void> {
    const { app, call } = this.#of;
    const looking = new AbortController();
    this.#looking = looking;
    const begun = app.system.clock.now();
    const outcome = await carryOut(app, { ...call, signal: looking.signal, report: SILENT });
    const took = app.system.clock.now() - begun;
    this.#looking = null;
    if (looking.signal.aborted) return;
    await this.#heed();
    this.#same = this.#rows(outcome.envelope) === this.#rows(this.#outcome.envelope)
      ? this.#same + 1
      : 0;
    this.#outcome = outcome;
    if (outcome.answered) this.#envelope = outcome.envelope;
    this.#noted();
    this.#draw();
    const again = this.#again;
    this.#again = false;
    this.#plan(again ? SETTLE_MS : this.#pause(took));
  }

  /** How long the next look is waited for after one that took so many milliseconds. */
  #pause(took: number): number {
    const { app, call, command } = this.#of;
    const asksHosts = command.watches?.asksHosts?.(call.args) === true;
    const rest = restOf(this.#outcome.envelope, app.system.clock.now());
    return Math.max(rest, pauseMs(took, asksHosts ? this.#same : null));
  }

  /** What an answer says of the rows that are shown, to be compared. */
  #rows(envelope: Fields): string {
    return JSON.stringify([envelope[this.#of.command.watches?.member ?? ""], envelope["message"]]);
  }

  /** Rings the bell for what began to wait for a person since the last look; which request that is, is noted. */
  async #heed(): Promise<void> {
    const { system, settings, layout, store } = this.#of.app;
    if (!settings.notify || await system.files.stat(layout.database) === null) return;
    const waiting = (await store()).approvals.list(system.clock.now(), false, 20);
    const ids = waiting.map(({ id }) => id);
    if (ids.some((id) => this.#waiting?.includes(id) === false)) system.terminal.out(BELL);
    this.#waiting = ids;
  }

  /** Says when was looked, or why that failed; what waits for a person goes first. */
  #noted(): void {
    const { clock } = this.#of.app.system;
    const [waiting] = this.#waiting ?? [];
    if (waiting !== undefined) {
      this.#note = `⚠ waits: amof approve ${waiting}`;
      return;
    }
    this.#note = this.#outcome.answered
      ? wordingFor("cli", clock.now()).clock(new Date(clock.now()).toISOString()).slice(0, 8)
      : `✗ ${cleanLine(String(this.#outcome.envelope["message"]))}`;
  }

  #sheet(): Sheet {
    const { app, call, command } = this.#of;
    return sheetOf(command, {
      envelope: this.#envelope,
      input: call.args,
      say: wordingFor("cli", app.system.clock.now()),
    }, {
      view: this.#view,
      columns: app.system.terminal.size().columns,
      note: this.#note,
    });
  }

  #draw(anew = false): void {
    const size = this.#of.app.system.terminal.size();
    const sheet = this.#sheet();
    this.#view = settled(this.#view, sheet, size.rows);
    this.#screen.draw(screen(this.#view, sheet, size), anew);
  }

  async #typed(text: string): Promise<void> {
    try {
      for (const key of keysIn(text)) {
        const { rows } = this.#of.app.system.terminal.size();
        const [view, wish] = press(this.#view, key, this.#sheet(), rows);
        this.#view = view;
        if (wish === "quit") return this.#over.resolve();
        if (wish === "refresh") this.#plan(0);
        if (wish === "open") await this.#open(view.selected);
      }
      this.#draw();
    } catch (error) {
      this.#over.reject(error);
    }
  }

  /** Lets what opens a repository have the terminal meanwhile. */
  async #open(repo: string | null): Promise<void> {
    if (repo === null) {
      this.#note = "mark a repository first: j";
      return;
    }
    this.#screen.leave();
    try {
      const code = await this.#of.open(repo);
      if (code !== EXIT.ok) {
        this.#note = `✗ ${repo} could not be opened. See why: amof open ${repo}`;
      }
    } catch (thrown) {
      const { message } = toAmofError(thrown, () => this.#of.app.system.ids.hex(8));
      this.#note = `✗ ${cleanLine(message)}`;
    }
    this.#enter();
    this.#plan(SETTLE_MS);
  }
}

/** The directories in which a change is worth another look; none where they cannot be told. */
async function watchable({ app, call, command }: Watched, first: Outcome): Promise<string[]> {
  const path = await ownCommand("amof_get_repo_path");
  const found = await carryOut(app, {
    ...call,
    command: path,
    args: call.args["ecosystem"] === undefined ? {} : { ecosystem: call.args["ecosystem"] },
  });
  const workspace = found.envelope["directory"];
  if (typeof workspace !== "string") return [];
  const rows = first.envelope[command.watches?.member ?? ""];
  const paths = Array.isArray(rows) ? rows.map((row: Fields) => String(row["path"])) : [];
  return [
    join(workspace, ".amof"),
    ...paths.flatMap((path) => gitDirectories(join(workspace, path))),
  ];
}

/**
 * Watches; answers the exit code of the process. `done` is called behind the first look, `interrupt` to end it sooner.
 * Throws where there is no terminal.
 */
export async function watch(
  of: Watched,
  { done, interrupt }: { readonly done: () => void; readonly interrupt: () => void },
): Promise<number> {
  insistOnTerminal(of);
  const screen = new FullScreen(of.app.system.terminal);
  screen.hold(interrupt);
  try {
    return await watchOn(screen, of, done);
  } finally {
    screen.leave();
  }
}

async function watchOn(screen: FullScreen, of: Watched, done: () => void): Promise<number> {
  const { app, call, flags } = of;
  const first = await carryOut(app, call);
  done();
  if (call.signal.aborted) return EXIT.interrupted;
  if (!first.answered) {
    writeOutcome(app.system.terminal, first, { ...flags, nextSteps: false });
    return first.exit;
  }
  await new Watching(of, first, screen).run(await watchable(of, first));
  return EXIT.ok;
}
