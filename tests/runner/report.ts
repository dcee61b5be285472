/**
 * What a run of tests shows, out of what the test runner prints: a count while it runs, failures in full, and a last
 * line `N passed, N failed`. Only values go in and out.
 *
 * @module
 */

/** How many lines of what nobody understood are kept for the case that the runner breaks off. */
const KEPT = 200;

/** How a run ended. */
export interface Ending {
  /** Lines to show, the last one being `N passed, N failed`. */
  readonly lines: readonly string[];
  /** Whether some test ran, all passed, and the runner came to its end. */
  readonly success: boolean;
}

/** The lines of `deno test --parallel` without colours, one after the other, and what is to be shown of them. */
export class Report {
  readonly #verbose: boolean;
  readonly #unknown: string[] = [];
  /** What might be the runner's last word, which is said anew here. */
  #held: string[] = [];
  #passed = 0;
  #failed = 0;
  #ignored = 0;
  #newest = "";
  #isDetailed = false;
  #isSummedUp = false;

  /** With `verbose` there is a line per test. */
  constructor({ verbose = false }: { readonly verbose?: boolean } = {}) {
    this.#verbose = verbose;
  }

  /** Takes one line; answers the lines to show for it. */
  take(line: string): readonly string[] {
    if (this.#isDetailed) return this.#detail(line);
    const [, test = "", outcome = ""] =
      /^\S+ => (.*) \.\.\. (ok|FAILED|ignored) \(.*\)$/.exec(line) ?? [];
    if (outcome !== "") return this.#result(line, test, outcome);
    if (/^Uncaught error from .* FAILED$/.test(line)) {
      this.#failed++;
      return [line];
    }
    if (/^ ERRORS *$/.test(line) || /^SIG[A-Z]+ The following tests were pending:$/.test(line)) {
      this.#isDetailed = true;
      return ["", line];
    }
    if (this.#isSummary(line) || line === "") return [];
    this.#unknown.push(line);
    if (this.#unknown.length > KEPT) this.#unknown.shift();
    return this.#verbose ? [line] : [];
  }

  #result(line: string, test: string, outcome: string): readonly string[] {
    // The name of a step stands behind that of its test, which counts.
    const isStep = test.includes(" ... ");
    if (!isStep) {
      if (outcome === "ok") this.#passed++;
      else if (outcome === "FAILED") this.#failed++;
      else this.#ignored++;
      this.#newest = test;
    }
    if (this.#verbose) return [line];
    return outcome === "FAILED" && !isStep ? [`FAILED  ${test}`] : [];
  }

  /** Failures are shown as they are; what looks like the runner's sum is held back until more comes. */
  #detail(line: string): readonly string[] {
    if (this.#isSummary(line) || line === "") {
      this.#held.push(line);
      return [];
    }
    const shown = [...this.#held, line];
    this.#held = [];
    return shown;
  }

  #isSummary(line: string): boolean {
    const [, passed, failed] = /^(?:ok|FAILED) \| (\d+) passed\b.*? \| (\d+) failed\b/.exec(line) ??
      [];
    if (passed === undefined) return false;
    const ignored = / \| (\d+) ignored\b/.exec(line)?.[1];
    [this.#passed, this.#failed, this.#ignored] = [passed, failed, ignored ?? 0].map(Number) as [
      number,
      number,
      number,
    ];
    this.#isSummedUp = true;
    return true;
  }

  /** What has been counted after so many milliseconds, and the newest test, in at most `width` columns. */
  count(ms: number, width = Infinity): string {
    const failed = this.#failed === 0 ? "" : `, ${this.#failed} failed`;
    const isBegun = this.#passed + this.#failed + this.#ignored > 0;
    const line = `${clock(ms)}  ${isBegun ? `${this.#passed} passed${failed}` : "getting ready"}`;
    if (width === Infinity) return line;
    return [...`${line}  ${this.#newest}`].slice(0, width).join("");
  }

  /** Takes the end of the runner: its exit code, and what it wrote to standard error. */
  end(code: number, stderr: string, ms: number): Ending {
    const lines: string[] = [];
    if (!this.#isSummedUp || (code !== 0 && this.#failed === 0)) {
      this.#failed++;
      const said = this.#verbose ? [] : this.#unknown;
      lines.push(
        "",
        ...said,
        ...stderr.split("\n").filter((line) => line.trim() !== ""),
        this.#isSummedUp
          ? `The test runner ended with exit code ${code}, although no test failed.`
          : `The test runner ended with exit code ${code} before it had run all tests.`,
      );
    }
    const ran = this.#passed + this.#failed;
    if (ran === 0) lines.push("", "No test ran.");
    const ignored = this.#ignored === 0 ? "" : `, ${this.#ignored} ignored`;
    lines.push(
      "",
      `${ran} ${ran === 1 ? "test" : "tests"} in ${clock(ms)}${ignored}`,
      `${this.#passed} passed, ${this.#failed} failed`,
    );
    return { lines, success: ran > 0 && this.#failed === 0 };
  }
}

/** Milliseconds as minutes and seconds. */
function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
