/** The lists of the protocol in pages, and the methods of skills, which are the same in every revision. */

import { cursorOf, positionOf } from "../../pipeline/page.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import type { Fields } from "../../base/object.ts";
import { invalidParams, type SkillFeature, textIn } from "./features.ts";

/** The same for what may be another at any time. */
export const PASSING = { ttlMs: 0, cacheScope: "private" } as const;

/** How many items one page holds. */
export const PAGE_SIZE = 50;

/** A page, and the cursor of the next one if there is more. */
interface Page<T> {
  readonly items: T[];
  readonly nextCursor?: string;
}

/** The page behind a cursor; throws −32602 for one that was not made here or has become void. */
export function page<T>(
  items: readonly T[],
  key: (item: T) => string,
  cursor: string | undefined,
): Page<T> {
  const start = positionOf(cursor, items.map(key));
  if (start === null) throw invalidParams("The cursor is not valid; list again without one");
  const shown = items.slice(start, start + PAGE_SIZE);
  const last = shown[shown.length - 1];
  const more = last !== undefined && start + PAGE_SIZE < items.length;
  return { items: shown, ...(more ? { nextCursor: cursorOf(key(last)) } : {}) };
}

/** What answers the methods of skills, which are the same in every revision. */
export function skillMethods(
  load: () => Promise<SkillFeature>,
): ReadonlyMap<string, (params: Fields) => Promise<Fields>> {
  return new Map<string, (params: Fields) => Promise<Fields>>([
    ["skills/list", async (params) => {
      const cursor = params["cursor"] === undefined ? undefined : textIn(params, "cursor");
      const { items, ...rest } = page(await (await load()).list(), ({ uri }) => uri, cursor);
      return { skills: items, ...rest, ...PASSING };
    }],
    ["skills/get", async (params) => {
      const wanted = textIn(params, "uri");
      const skill = (await (await load()).list()).find(({ uri }) => uri === wanted);
      if (skill === undefined) throw invalidParams(`There is no skill ${cleanLine(wanted, 200)}`);
      return { skill, ...PASSING };
    }],
  ]);
}
