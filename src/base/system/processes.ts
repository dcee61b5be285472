/** Programs that this one starts, waits for and ends. */

/** A program to run: an argument vector, never a shell line. */
export interface ProcessRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  /** Added to the inherited environment, or the whole of it with `clearEnv`. A null value removes a variable. */
  readonly env?: Readonly<Record<string, string | null>>;
  readonly clearEnv?: boolean;
  /** Whether it is work of amof's own although its environment is cleared: it is found as such when its run is over. */
  readonly ours?: boolean;
  /**
   * Written to standard input, which is then closed. Absent means closed from the start. Where parts of it cannot be
   * had the program is ended, and that failure is thrown.
   */
  readonly stdin?: string | Uint8Array | AsyncIterable<Uint8Array>;
  /** After this many milliseconds the program is ended. */
  readonly timeoutMs?: number;
  /** After this many milliseconds without a byte of output the program is ended. */
  readonly silenceMs?: number;
  /** Ends the program when it aborts. */
  readonly signal?: AbortSignal;
  /**
   * Gives the program a process group of its own, so that its whole tree can be ended. With `soon` starting it costs
   * less, but for a moment it has no group yet: an interrupt typed at the terminal then reaches it, too.
   */
  readonly ownGroup?: boolean | "soon";
  /** How many milliseconds it may take to obey a polite end before it is killed; 5 seconds when absent. */
  readonly graceMs?: number;
  /** Bytes kept of each stream; the rest is dropped and the result says so. */
  readonly maxOutputBytes?: number;
  /** Keeps standard output as bytes in the result besides its text. */
  readonly binary?: boolean;
  /**
   * Called for each complete line as it arrives. Of text that carriage returns write over again and again only the
   * last is a line, and now and then one while it goes on.
   */
  readonly onLine?: (stream: "stdout" | "stderr", line: string) => void;
  /** Those who may start it for this process. Only for a program that can be run once more without harm. */
  readonly helpers?: Helpers;
}

/** Small processes that start programs for this one, which costs less where there are many. */
export interface Helpers {
  /** How many calls are best made at once: those that run, and those that follow as soon as one has ended. */
  readonly lanes: number;
  /**
   * Runs a program by one of them; null where it is to be run in the ordinary way: it is not one for them, or how it
   * ended is not sure.
   */
  run(request: ProcessRequest): Promise<ProcessResult | null>;
  /** Does what they did not, in its turn. */
  turn<T>(work: () => Promise<T>): Promise<T>;
  /** Lets them go, and waits for that. Nothing they run goes on. */
  close(): Promise<void>;
}

/** How a program ended. Causes are fields; nothing has to be read out of text. */
export interface ProcessResult {
  readonly command: string;
  readonly args: readonly string[];
  /** The exit code; 128 + n when signal n ended it; −1 when it could not be started. */
  readonly exitCode: number;
  readonly signal: string | null;
  readonly timedOut: boolean;
  /** How many milliseconds it had printed nothing when it was ended for that; absent when it was not. */
  readonly stalledMs?: number;
  readonly cancelled: boolean;
  /** Why the program could not be started, or null. */
  readonly startError: "not_found" | "not_allowed" | "bad_directory" | "other" | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output as it came, when `binary` was asked for. */
  readonly bytes?: Uint8Array;
  /** Whether a stream was longer than `maxOutputBytes`. */
  readonly truncated: boolean;
  readonly durationMs: number;
}

/** Who a running process is: enough to tell it from a later one with the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in a form only compared for equality; null where the platform does not tell. */
  readonly startedAt: string | null;
  /** Which boot of the machine it belongs to; null where the platform does not tell. */
  readonly bootId: string | null;
}

/** How a program gets the terminal. */
interface AttachOptions {
  readonly input?: string;
  readonly cwd?: string;
  /** Added to the inherited environment, or the whole of it with `clearEnv`. A null value removes a variable. */
  readonly env?: Readonly<Record<string, string | null>>;
  readonly clearEnv?: boolean;
  /** Asks the program to end when it aborts. */
  readonly signal?: AbortSignal;
}

/** Processes. */
export interface Processes {
  /** Runs a program to its end. Resolves also when it fails or cannot be started. */
  run(request: ProcessRequest): Promise<ProcessResult>;
  /**
   * Helpers for requests that differ only in their directories, of which they run `jobs` at once; null where there are
   * none. Whoever asks closes them.
   */
  helpers(jobs: number): Helpers | null;
  /** Starts a program that outlives this one, in a process group of its own, with no open streams. */
  detach(argv: readonly string[], options: {
    readonly cwd: string;
    readonly env?: Readonly<Record<string, string>>;
    /** Whether `env` is the whole of its environment. */
    readonly clearEnv?: boolean;
  }): Promise<ProcessIdentity>;
  /**
   * Runs a program on the terminal of this process, such as an editor; answers its exit code, or null when it
   * could not be started. With `input` it reads that instead of what is typed, as far as it wants to.
   */
  attach(argv: readonly string[], options?: AttachOptions): Promise<number | null>;
  /** The argument vector that starts this program again. */
  self(): readonly string[];
  /** The identity of this process. */
  me(): Promise<ProcessIdentity>;
  /** Whether that very process is still running. */
  isAlive(identity: ProcessIdentity): Promise<boolean>;
  /** Kills what a dead leader of a process group left running in its group. */
  endOrphans(leader: ProcessIdentity): Promise<void>;
  /**
   * The processes of this user that were started with `mark`, a NAME=VALUE, in their environment, without what these
   * have started themselves. None where the platform does not tell what others were started with.
   */
  findMarked(mark: string): Promise<readonly ProcessIdentity[]>;
  /**
   * Ends every process of this user that was started with `mark`, a NAME=VALUE, in its environment, also one
   * that left its group and session, and waits until they are gone. Does nothing where the platform does not tell
   * what others were started with.
   */
  endMarked(mark: string, how?: {
    /** How many milliseconds they may take to obey a polite end before they are killed; 0 when absent. */
    readonly graceMs?: number;
    /** Leaves alone what made itself independent and is no git: agents and the like that others rely on. */
    readonly spareDaemons?: boolean;
  }): Promise<void>;
  /** Sends a signal to a process, or with `group` to its whole group; false when it is gone. */
  signal(pid: number, signal: "SIGTERM" | "SIGKILL", group: boolean): boolean;
}
