/**
 * Permission bits of deployed files (PACK-31).
 *
 * @module
 */

/** A file that is there keeps its mode, a new one gets 0644; whoever may read a program may also run it. */
export function modeAfter(before: number | null, executable: boolean): number {
  const base = before === null ? 0o644 : before & 0o777;
  return executable ? base | ((base & 0o444) >> 2) : base;
}

/** Permission bits as records hold them: four octal digits. */
export function octal(mode: number): string {
  return mode.toString(8).padStart(4, "0");
}

/** Permission bits out of their octal digits, or null. */
export function parseMode(text: string | null | undefined): number | null {
  return text === undefined || text === null || !/^[0-7]{3,5}$/.test(text)
    ? null
    : parseInt(text, 8);
}
