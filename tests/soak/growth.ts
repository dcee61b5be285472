/**
 * Whether what a process takes grows for as long as it lives.
 *
 * @module
 */

/** How much may come on top of the middle value between the end of the warm-up and the end. */
export interface Allowance {
  /** As a share of the middle value. */
  readonly share: number;
  /** In the unit of the values, besides. */
  readonly plus: number;
}

/** Values fewer than these are no trend. */
const ENOUGH = 6;

/** The part of the values that counts: the first third is the warm-up. */
function settled(values: readonly number[]): readonly number[] {
  return values.slice(Math.floor(values.length / 3));
}

/** What a straight line through the values, closest by squares, rises from the first to the last of them. */
export function rise(values: readonly number[]): number {
  const middleOf = (all: readonly number[]) => all.reduce((sum, one) => sum + one, 0) / all.length;
  const middle = (values.length - 1) / 2;
  const mean = middleOf(values);
  const [up, across] = values.reduce(
    ([up, across], value, at) => [
      up + (at - middle) * (value - mean),
      across + (at - middle) ** 2,
    ],
    [0, 0] as [number, number],
  );
  return across === 0 ? 0 : up / across * (values.length - 1);
}

/** Why values that were taken at equal distances grow without end; null when they do not, or are too few. */
export function growth(values: readonly number[], { share, plus }: Allowance): string | null {
  const part = settled(values);
  if (part.length < ENOUGH) return null;
  const middle = part.toSorted((a, b) => a - b)[Math.floor(part.length / 2)] ?? NaN;
  const rises = rise(part);
  const most = middle * share + plus;
  return rises <= most
    ? null
    : `rises by ${rises.toFixed(1)}, at most ${most.toFixed(1)} may be: ${
      part.map((value) => value.toFixed(0)).join(" ")
    }`;
}
