/** What doctor says about git, the lockfile, the state directory and what was left behind (PACK-53). */

import { dirname } from "@std/path";
import { readLockfile } from "../../config/lockfile.ts";
import type { AgentpackCode } from "../../error.ts";
import { readJournal } from "../../engine/journal.ts";
import { orphanWarnings } from "../../engine/orphan.ts";
import type { Session } from "../../engine/session.ts";
import { listRecords } from "../../engine/snapshot.ts";

/** Something that a person should know about. */
export interface Finding {
  readonly kind:
    | "module"
    | "conflict"
    | "overlay"
    | "git"
    | "lockfile"
    | "state"
    | "orphan"
    | "no_effect"
    | "double"
    | "mount"
    | "leftover"
    | "uncommitted";
  readonly message: string;
  readonly module_id?: string;
  /** Where the same is said of several modules. */
  readonly module_ids?: readonly string[];
  readonly paths?: readonly string[];
  /** The code a command would fail with. */
  readonly code?: AgentpackCode;
}

async function gitFindings(session: Session): Promise<Finding[]> {
  try {
    await session.pack.git.version(session.pack.system.env.cwd);
    return [];
  } catch {
    return [{
      kind: "git",
      code: "E_GIT_NOT_FOUND",
      message: "git does not run: git sources, project ids and evolve need it",
    }];
  }
}

async function lockfileFindings(session: Session): Promise<Finding[]> {
  const { home, config } = session;
  const state = await readLockfile(session.pack.system.files, home.lockfile);
  const fromGit = config.modules.filter((module) => module.enabled && module.source.kind === "git");
  const say = (message: string): Finding => ({ kind: "lockfile", message });
  if (state.kind === "broken") {
    return [{ ...say(state.error.message), code: state.error.code }];
  }
  if (state.kind === "missing") {
    return fromGit.length === 0
      ? []
      : [say("There is no lockfile, so git modules follow their branches; write it with lock")];
  }
  const locked = new Set(state.lockfile.modules.map((module) => module.id));
  const known = new Set(config.modules.map((module) => module.id));
  return [
    ...[...locked].filter((id) => !known.has(id))
      .map((id) => say(`The lockfile still has "${id}", which agentpack.yaml no longer has`)),
    ...fromGit.filter((module) => !locked.has(module.id))
      .map((module) => say(`The lockfile does not have "${module.id}"; renew it with lock`)),
  ];
}

async function stateFindings(session: Session): Promise<Finding[]> {
  const { files } = session.pack.system;
  const { state } = session.home;
  const findings: Finding[] = [];
  let place = state;
  while (place !== dirname(place) && await files.stat(place) === null) place = dirname(place);
  if (!await files.isWritable(place)) {
    findings.push({
      kind: "state",
      message: `"${state}" cannot be written to; no deploy can work`,
    });
  }
  if (await readJournal(files, session.home) !== null) {
    findings.push({
      kind: "state",
      message: "A change was cut short; the next change, or doctor --fix, takes it back first",
    });
  }
  const { warnings } = await listRecords(files, session.home);
  return [...findings, ...warnings.map((message): Finding => ({ kind: "state", message }))];
}

/** Everything doctor checks besides modules, overlays and roots. */
export async function healthFindings(session: Session): Promise<Finding[]> {
  const orphans = await orphanWarnings(session);
  return [
    ...await gitFindings(session),
    ...await lockfileFindings(session),
    ...await stateFindings(session),
    ...orphans.map((message): Finding => ({ kind: "orphan", message })),
  ];
}
