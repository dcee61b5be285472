// Types of the one function used from @std/crypto; the npm build ships none.

/**
 * Whether both hold the same bytes; takes as long for a late difference as for an early one. Throws a `TypeError`
 * when they are not of the same length.
 */
export function timingSafeEqual(
  a: ArrayBufferView | ArrayBufferLike,
  b: ArrayBufferView | ArrayBufferLike,
): boolean;
