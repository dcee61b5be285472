/** What a person pressed, out of what a terminal sends for it. */

/** A key with a meaning of its own, or text. */
export type Key =
  | { readonly name: "up" | "down" | "page_up" | "page_down" | "home" | "end" }
  | { readonly name: "enter" | "escape" | "erase" | "interrupt" }
  | { readonly name: "text"; readonly text: string };

const ESC = "\u001b";

/** The sequences of keys, as terminals send them in both of their modes. */
const SEQUENCES: Readonly<Record<string, Key["name"]>> = {
  "[A": "up",
  "OA": "up",
  "[B": "down",
  "OB": "down",
  "[5~": "page_up",
  "[6~": "page_down",
  "[H": "home",
  "OH": "home",
  "[1~": "home",
  "[F": "end",
  "OF": "end",
  "[4~": "end",
};

const CONTROLS: Readonly<Record<string, Key["name"]>> = {
  "\r": "enter",
  "\n": "enter",
  "\u007f": "erase",
  "\b": "erase",
  "\u0003": "interrupt",
  "\u0004": "interrupt",
};

function key(name: Key["name"]): Key {
  return name === "text" ? { name, text: "" } : { name };
}

/** The keys in what was read at once; what means nothing here is left out. */
export function keysIn(input: string): Key[] {
  const keys: Key[] = [];
  // deno-lint-ignore no-control-regex -- these are what a keyboard sends
  for (const [part] of input.matchAll(/\u001b(?:\[[0-?]*[ -/]*[@-~]|O[A-Z])|[^]/gu)) {
    const name = part.startsWith(ESC) && part !== ESC
      ? SEQUENCES[part.slice(1)]
      : part === ESC
      ? "escape"
      : CONTROLS[part];
    if (name !== undefined) keys.push(key(name));
    else if (/^\P{C}$/u.test(part)) keys.push({ name: "text", text: part });
  }
  return keys;
}
