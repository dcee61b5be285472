/** Skills by the protocol's extension (MCP-22): our own, and those that a wing has. They are only read. */

import type { Fields } from "../../base/object.ts";
import { sha256 } from "../../base/hash.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { VERSION } from "../../base/version.ts";
import { amofSkill } from "../../apps/skill/skill.ts";
import { resourceNotFound, type ServedSkill, type SkillFeature } from "./features.ts";
import type { ReadResourceResult } from "./sdk.ts";

/** Instructions for models. */
export interface ModelSkill {
  /** The head of its SKILL.md, with a name and a description. */
  readonly head: Fields;
  /** The names above its files in their addresses; the last one is its own. */
  readonly above: readonly string[];
  /** Bytes by path, SKILL.md among them. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** What every host must take, as the extension has it; what is larger or named otherwise is left out. */
const MOST_FILES = 512;
const MOST_BYTES = 16 * 1024 * 1024;
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const LONGEST_NAME = 64;
const LONGEST_DESCRIPTION = 1024;

function isTaken({ head, files }: ModelSkill): boolean {
  const { name, description } = head;
  const bytes = [...files.values()].reduce((sum, { length }) => sum + length, 0);
  return typeof name === "string" && name.length <= LONGEST_NAME && NAME.test(name) &&
    typeof description === "string" && [...description].length <= LONGEST_DESCRIPTION &&
    files.size <= MOST_FILES && bytes <= MOST_BYTES;
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

/** Our own skill: how to work with amof. */
export function ownSkill(): ModelSkill {
  const { head, text } = amofSkill(VERSION);
  return { head, above: ["amof"], files: new Map([["SKILL.md", new TextEncoder().encode(text)]]) };
}

/** Skills as a server has them. They are looked up for each request. */
export function skillFeature(skills: () => Promise<readonly ModelSkill[]>): SkillFeature {
  const all = async () =>
    (await skills()).filter(isTaken).map(({ head, above, files }) => {
      const directory = `skill://${above.map(encodeURIComponent).join("/")}/`;
      return {
        head,
        uri: `${directory}SKILL.md`,
        files: new Map(
          [...files].map(([path, bytes]) => [
            directory + path.split("/").map(encodeURIComponent).join("/"),
            bytes,
          ]),
        ),
      };
    });
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
