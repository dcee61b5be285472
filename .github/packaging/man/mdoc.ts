/**
 * Text as mdoc(7), the language of manual pages, has it.
 *
 * @module
 */

/** The longest line of the source. */
const WIDTH = 78;

/** Words that a macro line would take for macros of its own. */
const MACROS = new Set(
  ("Ad An Ap Aq Ar At Bc Bd Bf Bk Bl Bo Bq Brc Bro Brq Bsx Bt Bx Cd Cm D1 Db Dc Dd Dl Do Dq Dt Dv Dx Ec Ed Ef Ek El Em En Eo Er Es " +
    "Ev Ex Fa Fc Fd Fl Fn Fo Fr Ft Fx Hf Ic In It Lb Li Lk Lp Ms Mt Nd Nm No Ns Nx Oc Oo Op Os Ot Ox Pa Pc Pf Po Pp Pq Qc Ql Qo Qq " +
    "Re Rs Rv Sc Sh Sm So Sq Ss St Sx Sy Ta Tg Tn Ud Ux Va Vt Xc Xo Xr")
    .split(" "),
);

/** Every character as troff knows it; what is not ASCII by its number. */
function escaped(text: string): string {
  return text.replaceAll("\\", "\\e").replace(
    /[^\p{ASCII}]/gu,
    (char) => `\\[u${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`,
  );
}

/** A word of a text; in what is typed the hyphens are those of the keyboard. */
function wordOf(text: string): string {
  return /^['"(]*--?[a-z]/.test(text) ? text.replaceAll("-", "\\-") : text;
}

/** A line of text: what begins it is no request. */
function line(text: string): string {
  return /^[.']/.test(text) ? `\\&${text}` : text;
}

/** A text in sentences, each on lines of its own. */
export function text(paragraph: string): string[] {
  const sentences = paragraph.split(/(?<=[.!?:])\s+(?=[A-Z"`])/);
  return sentences.flatMap((sentence) => {
    const lines: string[] = [];
    let current = "";
    for (const word of escaped(sentence).split(/\s+/).filter((each) => each !== "").map(wordOf)) {
      if (current !== "" && current.length + word.length + 1 > WIDTH) {
        lines.push(current);
        current = word;
      } else current = current === "" ? word : `${current} ${word}`;
    }
    return [...lines, current].filter((each) => each !== "").map(line);
  });
}

/** A text as arguments of a macro: no word of it is a macro, a quote or punctuation. */
export function words(said: string): string {
  return escaped(said).replaceAll('"', "\\(dq").split(/\s+/)
    .map((word) => MACROS.has(word) || /^[.,:;()[\]?!|]$/.test(word) ? `\\&${word}` : word)
    .join(" ");
}

/** Words that are typed as they are: their hyphens are those of the keyboard. */
export function typed(said: string): string {
  return words(said).replaceAll("-", "\\-");
}

/** Lines as they are, indented. */
export function literal(lines: readonly string[]): string[] {
  return [
    ".Bd -literal -offset indent",
    ...lines.map((each) => line(escaped(each).replaceAll("-", "\\-"))),
    ".Ed",
  ];
}

/** A list of words, each with what it means; nothing for none. */
export function list(rows: readonly (readonly [head: string, body: string])[]): string[] {
  if (rows.length === 0) return [];
  return [".Bl -tag -width Ds", ...rows.flatMap(([head, body]) => [head, ...text(body)]), ".El"];
}
