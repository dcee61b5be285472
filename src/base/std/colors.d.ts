// Types of the functions used from @std/fmt/colors; the npm build ships none.

/** Turns all colours of this module on or off. */
export function setColorEnabled(enabled: boolean): void;
/** The text without control sequences. */
export function stripAnsiCode(text: string): string;
/** Bold text. */
export function bold(text: string): string;
/** Dimmed text. */
export function dim(text: string): string;
/** Red text. */
export function red(text: string): string;
/** Green text. */
export function green(text: string): string;
/** Yellow text. */
export function yellow(text: string): string;
/** Cyan text. */
export function cyan(text: string): string;
