/**
 * Skills by the protocol's extension (MCP-22): our own, and those that agentpack is configured with. They are only read.
 */

import { configuredSkills, makePack, ownSkills, type Skill } from "../../../apps/agentpack/mod.ts";
import { sha256 } from "../../../base/hash.ts";
import { readOnly } from "../../../base/system/read_only.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { isReadOnlyGit } from "../../../git/mod.ts";
import type { Fields } from "../../../base/object.ts";
import type { App } from "../../../pipeline/app.ts";
import { hostOf, projectOf } from "./options.ts";
import { resourceNotFound, type ServedSkill, type SkillFeature } from "../../mcp/features.ts";
import type { ReadResourceResult } from "../../mcp/sdk.ts";

/** What every host must take, as the extension has it; what is larger or named otherwise is left out. */
const MOST_FILES = 512;
const MOST_BYTES = 16 * 1024 * 1024;
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const LONGEST_NAME = 64;
const LONGEST_DESCRIPTION = 1024;

function isTaken({ head, files }: Skill): boolean {
  const { name, description } = head;
  const bytes = [...files.values()].reduce((sum, { length }) => sum + length, 0);
  return typeof name === "string" && name.length <= LONGEST_NAME && NAME.test(name) &&
    typeof description === "string" && [...description].length <= LONGEST_DESCRIPTION &&
    files.size <= MOST_FILES && bytes <= MOST_BYTES;
}

/** The directory of a skill; the last name in it is the skill's own. */
function directoryOf(skill: Skill, above: readonly string[]): string {
  const name = String(skill.head["name"]);
  const names = [...above, ...(skill.id === name ? [] : [skill.id]), name];
  return `skill://${names.map(encodeURIComponent).join("/")}/`;
}

const isText = (bytes: Uint8Array) => !bytes.includes(0);

/** A file as a resource; what is no text comes as bytes. */
function contentOf(uri: string, bytes: Uint8Array): ReadResourceResult {
  const mimeType = uri.endsWith(".md") ? "text/markdown" : "text/plain";
  try {
    if (!isText(bytes)) throw new TypeError("It has a byte that no text has");
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { contents: [{ uri, mimeType, text }] };
  } catch {
    const blob = bytes.toBase64();
    return { contents: [{ uri, mimeType: "application/octet-stream", blob }] };
  }
}

/**
 * The skills of a server: our own, and where it has agentpack's tools, started with the flags `own`, those of the
 * configuration. Nothing is fetched for them, so a module whose checkout is missing is left out until it is.
 */
export function skillFeature(app: App, own: Fields | null): SkillFeature {
  const { system, version, prefix } = hostOf(app);
  const configured = own === null ? null : { project: projectOf(system.env, own) };
  const all = async () => {
    const world = readOnly(system, isReadOnlyGit);
    const pack = makePack({ system: world, version, prefix });
    const amofs = (await ownSkills(pack)).filter(({ id }) => configured !== null || id === "amof");
    const more = configured === null ? [] : await configuredSkills(pack, configured)
      // Where nothing is configured there are none, and the tools say what is wrong with it.
      .catch((): Skill[] => []);
    return [
      ...amofs.map((skill) => ({ skill, directory: directoryOf(skill, []) })),
      ...more.map((skill) => ({ skill, directory: directoryOf(skill, ["agentpack"]) })),
    ].filter(({ skill }) => isTaken(skill)).map(({ skill, directory }) => ({
      head: skill.head,
      uri: `${directory}SKILL.md`,
      files: new Map(
        [...skill.files].map(([path, bytes]) => [
          directory + path.split("/").map(encodeURIComponent).join("/"),
          bytes,
        ]),
      ),
    }));
  };
  return {
    async list() {
      return (await all()).map(({ uri, head, files }): ServedSkill => ({
        uri,
        frontmatter: head,
        resources: [...files].map(([uri, bytes]) => ({
          uri,
          digest: `sha256:${sha256(bytes)}`,
          size: bytes.length,
        })),
      }));
    },

    async read(uri) {
      for (const { files } of await all()) {
        const bytes = files.get(uri);
        if (bytes !== undefined) return contentOf(uri, bytes);
      }
      throw resourceNotFound(uri, `There is no file ${cleanLine(uri, 200)} of a skill`);
    },
  };
}
