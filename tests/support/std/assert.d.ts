// Types of the assertions used from @std/assert; the npm build ships none.

/** Fails unless the value is truthy. */
export function assert(value: unknown, message?: string): asserts value;
/** Fails unless both are deeply equal. */
export function assertEquals<T>(actual: T, expected: T, message?: string): void;
/** Fails if both are deeply equal. */
export function assertNotEquals<T>(actual: T, expected: T, message?: string): void;
/** Fails unless the text contains the part. */
export function assertStringIncludes(actual: string, expected: string, message?: string): void;
/** Fails unless the text matches. */
export function assertMatch(actual: string, expected: RegExp, message?: string): void;
/** Fails if the text matches. */
export function assertNotMatch(actual: string, expected: RegExp, message?: string): void;
/** Fails unless the actual object has at least the expected fields. */
export function assertObjectMatch(
  actual: Record<PropertyKey, unknown>,
  expected: Record<PropertyKey, unknown>,
  message?: string,
): void;
/** Fails unless the function throws the class of error; returns it. */
export function assertThrows<E extends Error = Error>(
  fn: () => unknown,
  // A class with any constructor arguments; `never[]` accepts them all without `any`.
  errorClass?: abstract new (...args: never[]) => E,
  messageIncludes?: string,
): E;
/** Fails unless the promise rejects with the class of error; resolves to it. */
export function assertRejects<E extends Error = Error>(
  fn: () => PromiseLike<unknown>,
  errorClass?: abstract new (...args: never[]) => E,
  messageIncludes?: string,
): Promise<E>;
/** Fails always. */
export function fail(message?: string): never;
