// Types of the functions used from @std/semver; the npm build ships none.

/** A version in parts. */
export interface SemVer {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  readonly prerelease: readonly (string | number)[];
  readonly build: readonly string[];
}

/** The version a text spells, or undefined. */
export function tryParse(value: string): SemVer | undefined;
/** The canonical text of a version, without a `v`. */
export function format(version: SemVer): string;
/** Negative, zero or positive, by semver precedence. */
export function compare(a: SemVer, b: SemVer): number;
