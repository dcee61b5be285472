/**
 * The stage of a demo: real command lines, shown as somebody at a terminal sees them, at the reader's pace.
 *
 * A command line is carried out in this process, at a terminal of its own. What it writes there is shown, with
 * fewer lines where it is long, and its questions are answered. In a pipe nothing waits; at a terminal Enter
 * goes on, and q or Ctrl-C leaves at any moment.
 */

import type { RunLine } from "../../../../pipeline/line/program.ts";
import { AmofError, EXIT } from "../../../../base/error.ts";
import type { System, Terminal } from "../../../../base/system/mod.ts";
import { textWidth } from "../../../../base/text/table.ts";
import { count, shellWord } from "../../../../base/text/words.ts";
import { paint, strong } from "../../colors.ts";
import { wrapLine } from "../../wrap.ts";
import type { Sandbox } from "./sandbox.ts";

/** The reader leaves; how decides about the exit code. */
export class Left extends Error {
  /** "typed" for q, "interrupted" for whatever ends programs otherwise. */
  readonly how: "typed" | "interrupted";

  constructor(how: "typed" | "interrupted") {
    super("The demo was left");
    this.how = how;
  }
}

/** How a command line is shown. */
interface Showing {
  /** The most lines of what it prints before a question. */
  readonly asks?: number;
  /** The most lines of what it prints in the end. */
  readonly most?: number;
  /** What is typed at its questions, in their order. */
  readonly answers?: readonly string[];
  /** Where it is given; in the sandbox's own directory when absent. */
  readonly cwd?: string;
  /** Its exit code; 0 when absent. */
  readonly exit?: number;
}

/** What a keyboard gives for Ctrl-C, and for Ctrl-D or where nobody can type any more. */
const CTRL_C = "\u0003";
const CTRL_D = "\u0004";

/** What Enter does, in few words and in fewer. */
const ON = ["Enter: go on · q: leave", "Enter: go on"];
const YES = ["Enter: yes · q: leave", "Enter: yes"];

/** A command in lines that a shell takes as one. */
function commandLines(argv: readonly string[], width: number): string[] {
  const lines: string[] = [];
  let line = "$ amof";
  for (const [index, word] of argv.map(shellWord).entries()) {
    const end = index === argv.length - 1 ? "" : " \\";
    if (textWidth(`${line} ${word}${end}`) > width) {
      lines.push(`${line} \\`);
      line = `    ${word}`;
    } else line = `${line} ${word}`;
  }
  return [...lines, line];
}

/** Lines without the empty ones. */
function full(lines: readonly string[]): string[] {
  return lines.map((line) => line.trimEnd()).filter((line) => line !== "");
}

/** The first of too many lines, with how many are left out behind the last of them where that fits. */
function begun(lines: readonly string[], most: number, width: number): string[] {
  const left = (shown: number) => paint(`… ${count(lines.length - shown, "more line")}`, "quiet");
  const last = lines[most - 1];
  if (last === undefined) return most === 0 ? [] : [...lines];
  const longer = `${last} ${left(most)}`;
  return textWidth(longer) <= width
    ? [...lines.slice(0, most - 1), longer]
    : [...lines.slice(0, most - 1), left(most - 1)];
}

/** Of more lines than `most` the first, and how many are left out. */
export function head(text: string, most: number, width: number): string[] {
  const lines = full(text.split("\n"));
  return lines.length <= most ? lines : begun(lines, most, width);
}

/** Of more lines than `most` the first, and the last paragraph, which sums up; between them a sign that some are left out. */
export function ends(text: string, most: number, width: number): string[] {
  const lines = text.trimEnd().split("\n");
  const last = full(lines.slice(lines.findLastIndex((line) => line.trim() === "") + 1));
  const rest = full(lines).slice(0, -last.length);
  if (rest.length + last.length <= most) return [...rest, ...last];
  const shown = begun(rest, Math.max(most - last.length, 0), width);
  if (shown.length > 0) return [...shown, ...last];
  return wrapLine(`… ${last.join(" ")}`, width);
}

/** Where a demo is shown. Dispose of it, so that the keyboard is as it was. */
export class DemoStage implements Disposable {
  readonly #system: System;
  readonly #run: RunLine;
  readonly #color: boolean;
  readonly #release: (() => void)[] = [];
  /** Whether somebody sits there who goes on with Enter. */
  readonly isAttended: boolean;
  #onKey: () => void = () => {};
  #onLeave: (() => void)[] = [];
  #left: Left | null = null;
  #begun = false;

  constructor(system: System, run: RunLine) {
    const { env, terminal } = system;
    this.#system = system;
    this.#run = run;
    this.isAttended = terminal.stdinIsTerminal && terminal.stdoutIsTerminal;
    this.#color = terminal.stdoutIsTerminal && (env.get("NO_COLOR") ?? "") === "" &&
      env.get("TERM") !== "dumb";
    this.#release.push(terminal.onInterrupt(() => this.#leave("interrupted")));
    if (!this.isAttended) return;
    this.#release.push(terminal.keys((text) => {
      if (text.includes(CTRL_C)) this.#leave("interrupted");
      else if (/q/i.test(text) || text.includes(CTRL_D)) this.#leave("typed");
      else if (/[\r\n yY]/.test(text)) this.#onKey();
      return Promise.resolve();
    }));
  }

  [Symbol.dispose](): void {
    for (const release of this.#release.splice(0)) release();
  }

  /** Set once the reader has left. */
  get left(): Left | null {
    return this.#left;
  }

  /** How many columns the terminal has now. */
  get width(): number {
    return this.#system.terminal.columns;
  }

  #leave(how: Left["how"]): void {
    if (this.#left !== null) return;
    this.#left = new Left(how);
    for (const end of this.#onLeave) end();
    this.#onKey();
  }

  /** Aborts when the reader leaves. */
  signal(): AbortSignal {
    const abort = new AbortController();
    this.#onLeave.push(() => abort.abort());
    return abort.signal;
  }

  /** Throws once the reader has left. */
  #stay(): void {
    if (this.#left !== null) throw this.#left;
  }

  /** Waits for Enter behind a few words, which are wiped away; `used` columns stand before them. What was typed before they stood there does not count. */
  async #pause(what: readonly string[], used = 0): Promise<void> {
    this.#stay();
    if (!this.isAttended) return;
    const { terminal } = this.#system;
    // They could not be wiped away in a second line.
    const words = what.find((each) => used + textWidth(each) < terminal.columns) ?? "";
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onKey = resolve;
    terminal.out(paint(words, "quiet"));
    await promise;
    this.#onKey = () => {};
    const back = "\b".repeat(textWidth(words));
    terminal.out(`${back}${" ".repeat(textWidth(words))}${back}`);
    this.#stay();
  }

  /** Prints lines as they are. */
  print(lines: readonly string[]): void {
    this.#stay();
    for (const line of lines) this.#system.terminal.out(`${line}\n`);
  }

  /** Says something, in lines that fit. */
  say(text: string): void {
    this.print(wrapLine(text, this.width).map((line) => paint(line, "quiet")));
  }

  /** Says the last words with commands to paste, also to whoever has left. */
  end(words: readonly string[], commands: readonly string[]): void {
    const said = words.flatMap((line) => wrapLine(line, this.width)).map(strong);
    for (const line of [...said, ...commands]) this.#system.terminal.out(`${line}\n`);
  }

  /** Begins the next scene, once the reader wants it. */
  async scene(title: string): Promise<void> {
    if (this.#begun) {
      await this.#pause(ON);
      this.print([""]);
    }
    this.#begun = true;
    this.print(wrapLine(title, this.width).map(strong));
  }

  /** Shows a question, and waits until whoever sits there has said yes. */
  async asks(question: string): Promise<void> {
    const { terminal } = this.#system;
    const shown = this.isAttended ? `${question} ` : question;
    terminal.out(shown);
    await this.#pause(YES, textWidth(shown));
    terminal.out("\n");
  }

  /** Shows a command line. */
  command(argv: readonly string[]): void {
    this.print(commandLines(argv, this.width));
  }

  /** Shows a command line, and what the program answers to it. Throws where it ends otherwise than expected. */
  async amof(
    sandbox: Sandbox,
    argv: readonly string[],
    { asks = 6, most = 6, answers = [], cwd = sandbox.workspace, exit = EXIT.ok }: Showing = {},
  ): Promise<void> {
    this.command(argv);
    const left = [...answers];
    let text = "";
    const write = (more: string) => void (text += more);
    const ask = async (more: string) => {
      const all = text + more;
      const at = all.lastIndexOf("\n") + 1;
      text = "";
      this.print(head(all.slice(0, at), asks, this.width));
      const question = all.slice(at);
      this.#system.terminal.out(question);
      await this.#pause(YES, textWidth(question));
      const answer = left.shift() ?? null;
      this.#system.terminal.out(`${answer ?? ""}\n`);
      return answer;
    };
    const code = await this.#run(this.#world(sandbox, cwd, { write, ask }), argv);
    this.print(ends(text, most, this.width));
    if (code !== exit) {
      throw new AmofError("subprocess_failed", `The demo expected exit code ${exit}, got ${code}`, {
        details: { args: argv, exit_code: code },
      });
    }
  }

  /** The world of a command: the sandbox, and a terminal at which the demo sits. */
  #world(
    { environment }: Sandbox,
    cwd: string,
    { write, ask }: {
      readonly write: (text: string) => void;
      readonly ask: Terminal["ask"];
    },
  ): System {
    const system = this.#system;
    const { columns } = system.terminal;
    const variables: Readonly<Record<string, string | undefined>> = {
      ...environment,
      AMOF_COLOR: this.#color ? "always" : "never",
      AMOF_NEXT_STEPS: "off",
      AMOF_NOTIFY: "off",
      AMOF_PAGER: "off",
      // What goes on is not shown live, and a person may be asked.
      TERM: "dumb",
      CI: undefined,
    };
    return {
      ...system,
      env: {
        ...system.env,
        cwd,
        get: (name) =>
          name in variables || name.startsWith("AMOF_") ? variables[name] : system.env.get(name),
      },
      // The demo goes on when a command has done without the network.
      http: { ...system.http, forgo: () => {} },
      processes: {
        ...system.processes,
        detach: (words, options) =>
          system.processes.detach(words, {
            ...options,
            env: { ...environment, ...options.env },
          }),
        run: (request) =>
          system.processes.run({
            cwd,
            ...request,
            env: request.clearEnv ? request.env ?? {} : { ...environment, ...request.env },
          }),
      },
      terminal: {
        ...system.terminal,
        stdinIsTerminal: true,
        stdoutIsTerminal: true,
        stderrIsTerminal: true,
        columns,
        size: () => ({ columns, rows: 1000 }),
        out: write,
        err: write,
        ask,
        onInterrupt: (callback) => {
          const end = () => callback("typed");
          this.#onLeave.push(end);
          return () => this.#onLeave = this.#onLeave.filter((each) => each !== end);
        },
        onDisplay: () => () => {},
      },
    };
  }
}
