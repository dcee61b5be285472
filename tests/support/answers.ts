/**
 * Reading what programs answer, and waiting for what they do.
 *
 * @module
 */

/** A member of parsed JSON, reached step by step; undefined where a step leads nowhere. */
export function pick(value: unknown, ...steps: readonly (string | number)[]): unknown {
  return steps.reduce<unknown>(
    (at, step) =>
      at !== null && typeof at === "object"
        ? (at as Record<string | number, unknown>)[step]
        : undefined,
    value,
  );
}

/** A member of parsed JSON that must be a list of objects. */
export function rows(
  value: unknown,
  ...steps: readonly (string | number)[]
): Record<string, unknown>[] {
  const found = pick(value, ...steps);
  if (!Array.isArray(found)) throw new Error(`There is no list at ${steps.join(".")}`);
  return found as Record<string, unknown>[];
}

/**
 * Waits until a probe answers something other than null or false, at most 2,400 turns of 50 ms: a machine with much
 * else to do is slow. Throws what was waited for, with the state that `state` tells.
 */
export async function until<T>(
  what: string,
  probe: () => Promise<T | null | false> | T | null | false,
  state: () => string = () => "",
): Promise<T> {
  for (let turn = 0; turn < 2_400; turn++) {
    const found = await probe();
    if (found !== null && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`Never happened: ${what} ${state()}`.trimEnd());
}

/** Whether a file exists. */
export function exists(path: string | URL): Promise<boolean> {
  return Deno.stat(path).then(() => true, () => false);
}
