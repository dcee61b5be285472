/** What a text says by its colour besides its words: whether something is well or wants attention. */

/** How something stands. Which colour that is, or none, is decided by the door that shows it. */
export type Tone = "good" | "attention" | "bad" | "quiet";

/** A text with a tone; as a string it is the text alone. */
export class Toned {
  /** The words. */
  readonly text: string;
  /** How what they say stands. */
  readonly tone: Tone;

  constructor(text: string, tone: Tone) {
    this.text = text;
    this.tone = tone;
  }

  /** The same tone of another text. */
  mapText(change: (text: string) => string): Toned {
    return new Toned(change(this.text), this.tone);
  }

  /** The words without their tone. */
  toString(): string {
    return this.text;
  }
}

/** A text that says something good, bad, worth attention, or of little weight. */
export function toned(tone: Tone, text: string): Toned {
  return new Toned(text, tone);
}

/** The words by which states are told, in lower case. */
const WORDS: readonly (readonly [Tone, readonly string[]])[] = [
  ["good", [
    "ok",
    "✓",
    "yes",
    "active",
    "success",
    "current",
    "pushed",
    "merged",
    "synced",
    "cloned",
    "updated",
    "installed",
    "approved",
    "accepted",
    "running",
  ]],
  ["attention", [
    "⚠",
    "dirty",
    "unpushed",
    "behind",
    "detached",
    "wrong_branch",
    "differs",
    "changed",
    "skipped",
    "queued",
    "paused",
    "cancelled",
    "declined",
    "expired",
    "elsewhere",
    "warn",
    "warning",
  ]],
  ["bad", [
    "✗",
    "diverged",
    "conflict",
    "missing",
    "error",
    "invalid",
    "failed",
    "interrupted",
    "refused",
    "timed_out",
  ]],
];

const TONES: ReadonlyMap<string, Tone> = new Map(
  WORDS.flatMap(([tone, words]) => words.map((word) => [word, tone] as const)),
);

/** The tone of a word that tells a state, in any case; null for any other word. */
export function toneOfWord(word: string): Tone | null {
  return TONES.get(word.toLowerCase()) ?? null;
}
