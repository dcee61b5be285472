/** The MCP server: what amof offers to one client. */

import type { App } from "../../pipeline/app.ts";
import type { ConfirmBy, Mode } from "../../base/policy/mode.ts";
import { Session } from "../../pipeline/session.ts";
import type { Bound } from "../../contract/place.ts";
import type { Features, Modes, MoreTools } from "./features.ts";
import { greet, type Introduction } from "./greeting.ts";
import { introductionOf } from "./introduction.ts";
import { type Door, offered, type Selection, withoutSession } from "./selection.ts";
import type { Wire } from "./messages.ts";

/** Groups of tools that have nothing to do with repositories. */
const APART: readonly string[] = ["session", "stocktrim"];

/** Whether some of the tools are about repositories. */
function isOnRepositories({ listed }: Pick<Selection, "listed">): boolean {
  return listed.some(({ toolset }) => !APART.includes(toolset));
}

/** What loads the skills of a server. */
type Skills = NonNullable<Features["skills"]>;

interface ServeOptions {
  readonly selection: Selection;
  readonly mode: Mode;
  readonly maxMode: Mode;
  readonly confirmBy: ConfirmBy;
  /** Whether forms are asked for where a client declares them. */
  readonly forms: boolean;
  readonly ecosystem: string | null;
  /** The ticket that nobody gets out of; null for most. */
  readonly bound: Bound | null;
  /** Tools that are no commands of amof and go by the modes of the session; null without any. */
  readonly more: ((modes: Modes) => MoreTools) | null;
  /** Instructions for models. */
  readonly skills: Skills;
}

/** The skills of a server; null where its tools are about nothing that they tell of. */
function skillsOf({ more, selection, skills }: ServeOptions): Skills | null {
  return more !== null || isOnRepositories(selection) ? skills : null;
}

/** Who calls without a session over standard input: the user of this machine, whichever process they reach. */
const LOCAL = "local";

/** What is offered to clients without a session; each call has one for itself, in which it begins anew. */
function modernDoor(app: App, options: ServeOptions, owner: string): Door {
  const { mode, maxMode, ecosystem, bound, confirmBy, forms } = options;
  const id = `sess_${app.system.ids.hex(12)}`;
  return {
    app,
    session: () => new Session({ id, owner, mode, maxMode, ecosystem, bound, lasts: false }),
    selection: withoutSession(options.selection),
    confirmBy,
    forms,
  };
}

/** The modes of tools that are no commands where no session has one. */
function startModes({ mode, maxMode }: ServeOptions): Modes {
  return { current: () => mode, max: maxMode, settable: false };
}

/** What a door says of itself. */
function introductionFor(door: Door, options: ServeOptions): Introduction {
  const { bound, lasts } = door.session();
  const { selection, confirmBy } = door;
  return introductionOf({
    lasts,
    bound,
    confirmBy,
    onRepositories: isOnRepositories(selection),
    hasSkills: skillsOf(options) !== null,
    note: selection.note,
    isOffered: (tool) => offered(door, tool) !== null,
  });
}

/** What is offered over HTTP to clients without a session: whoever has the token of the server calls. */
export async function sharedFeatures(app: App, options: ServeOptions): Promise<Features> {
  const { featuresOf } = await import("./serve_door.ts");
  const door = modernDoor(app, options, "http");
  const more = options.more?.(startModes(options));
  return featuresOf(door, introductionFor(door, options), {
    more,
    skills: skillsOf(options),
  });
}

/** Serves one client until its input ends; answers the exit code. Over standard input and output without a wire. */
export async function serve(app: App, options: ServeOptions, wire?: Wire): Promise<number> {
  const { ids } = app.system;
  const session = new Session({
    id: `sess_${ids.hex(12)}`,
    owner: `mcp:${ids.uuid()}`,
    mode: options.mode,
    maxMode: options.maxMode,
    ecosystem: options.ecosystem,
    bound: options.bound,
  });
  const { selection, confirmBy, forms } = options;
  const own: Door = { app, session: () => session, selection, confirmBy, forms };
  const shared = modernDoor(app, options, LOCAL);
  const introductions = {
    session: introductionFor(own, options),
    modern: introductionFor(shared, options),
  };
  // A host waits for the first answer, and nobody for what is loaded behind it.
  const greeted = wire ?? await greet(app.system, introductions);
  const { featuresOf, serveFeatures } = await import("./serve_door.ts");
  const modes = { current: () => session.mode, max: session.maxMode, settable: true };
  const { more } = options;
  const skills = skillsOf(options);
  const toStart = startModes(options);
  await serveFeatures(app.system, {
    session: featuresOf(own, introductions.session, { more: more?.(modes), skills }),
    modern: featuresOf(shared, introductions.modern, { more: more?.(toStart), skills }),
  }, greeted);
  if (confirmBy === "human" || selection.listed.some(({ byPerson }) => byPerson === true)) {
    // With the session its tokens end, so a person must not be asked to approve its requests any more.
    (await app.store()).confirmations.abandon(session.owner, app.system.clock.now());
  }
  return 0;
}
