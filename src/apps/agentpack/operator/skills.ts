/** Skills as they are handed to whoever reads them over a protocol: nothing is deployed by that. */

import type { Fields } from "../../../base/object.ts";
import { decodeText, encodeText } from "../bytes.ts";
import { bytesOf } from "../content.ts";
import { composeModule } from "../module/compose.ts";
import { readFrontMatter } from "../module/front_matter.ts";
import { operatorSkills } from "./assets.ts";
import type { Pack, Selection } from "../pack.ts";
import { loadSession } from "../engine/session.ts";

/** What a skill is called, says of itself and consists of. */
export interface Skill {
  /** Without the type: `tidy` of `skill:tidy`. */
  readonly id: string;
  /** The head of SKILL.md, with a name and a description. */
  readonly head: Fields;
  /** Bytes by path, SKILL.md among them. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

const PREFIX = "skill:";

async function skillOf(
  moduleId: string,
  files: ReadonlyMap<string, Uint8Array>,
): Promise<Skill | null> {
  const text = decodeText(files.get("SKILL.md") ?? new Uint8Array());
  const matter = await readFrontMatter(text ?? "");
  return matter.kind === "mapping"
    ? { id: moduleId.slice(PREFIX.length), head: matter.fields, files }
    : null;
}

/** Our own skills. */
export async function ownSkills(pack: Pick<Pack, "prefix" | "version">): Promise<Skill[]> {
  const made = operatorSkills(pack).map(([id, text]) =>
    skillOf(id, new Map([["SKILL.md", encodeText(text)]]))
  );
  return (await Promise.all(made)).filter((skill) => skill !== null);
}

/**
 * The skills of the selected profile with their overlays, sorted by id; one that cannot be composed, or has a file too
 * large to be held, is left out.
 * Throws what is wrong with configuration or lockfile.
 */
export async function configuredSkills(pack: Pack, selection: Selection): Promise<Skill[]> {
  const session = await loadSession(pack, selection);
  const modules = session.modules.filter(({ type }) => type === "skill");
  const found = await Promise.all(modules.map(async (module) => {
    try {
      const composed = await composeModule(session, module);
      const read = [...composed.files].map(([path, { bytes }]) => [path, bytesOf(bytes)] as const);
      const held = read.flatMap(([path, bytes]) => bytes === null ? [] : [[path, bytes] as const]);
      return held.length < read.length ? null : await skillOf(module.id, new Map(held));
    } catch {
      // `doctor` and `plan` say what is wrong with it.
      return null;
    }
  }));
  return found.filter((skill) => skill !== null);
}
