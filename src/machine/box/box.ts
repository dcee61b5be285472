/** Starts programs in a box, and tries whether this system can make one (BOX-5). */

import { join } from "@std/path";
import type { Layout } from "../../state/store/mod.ts";
import type { ProcessRequest, System } from "../../base/system/mod.ts";
import { bubblewrapArguments, OWN, privatePlaces, trialArguments } from "./bubblewrap.ts";
import type { BoxPlan, Network } from "./plan.ts";
import { cleanLine } from "../../base/text/sanitize.ts";

// Of its rules the last that fits counts, so places come before what lies in them.

/** What would let a program act outside of the box through another one, which no rule about files sees. */
const HELPERS: readonly string[] = [
  "com.apple.SecurityServer",
  "com.apple.coreservices.appleevents",
  "com.apple.coreservices.launchservicesd",
  "com.apple.lsd.mapdb",
  "com.apple.lsd.open",
  "com.apple.pasteboard.1",
  "com.apple.securityd.xpc",
];

/** A text as Seatbelt's profiles write it. */
function quoted(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

/** The profile of a plan; `own` is the private directory of the box, which is its place for temporary files. */
export function seatbeltProfile(plan: BoxPlan, own: string): string {
  const rules = plan.rules.flatMap(({ path, kind, access }) => {
    const where = `(${kind === "directory" ? "subpath" : "literal"} ${quoted(path)})`;
    switch (access) {
      case "none":
        return [
          `(deny file-read* file-write* ${where})`,
          // Programs look at the directories above the one they stand in.
          ...(kind === "directory" ? [`(allow file-read-metadata (literal ${quoted(path)}))`] : []),
        ];
      case "read":
        return [`(deny file-write* ${where})`, `(allow file-read* ${where})`];
      case "write":
        return [`(allow file-read* file-write* ${where})`];
      case "private":
        return [];
    }
  });
  const sockets = plan.rules.filter(({ access }) => access === "write").map(({ path }) =>
    `(allow network* (local unix-socket (subpath ${quoted(path)})) (remote unix-socket (subpath ${
      quoted(path)
    })))`
  );
  return [
    "(version 1)",
    "(allow default)",
    "(deny file-write*)",
    '(allow file-write-data (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))',
    '(allow file-write* file-ioctl (regex #"^/dev/ttys[0-9]+$") (literal "/dev/ptmx"))',
    ...rules,
    `(allow file-read* file-write* (subpath ${quoted(own)}))`,
    "(deny network*)",
    ...(plan.network === "full"
      ? [
        "(allow network* (local ip) (remote ip))",
        '(allow network-outbound (literal "/private/var/run/mDNSResponder"))',
      ]
      : []),
    ...sockets,
    `(deny mach-lookup ${HELPERS.map((name) => `(global-name ${quoted(name)})`).join(" ")})`,
    "(deny appleevent-send)",
    "(deny job-creation)",
    "(deny process-info* (target others))",
    "(deny signal (target others))",
    "",
  ].join("\n");
}

/** Numbers of system calls on one kind of processor. */
interface Calls {
  /** How the kernel calls it, `AUDIT_ARCH_…`. */
  readonly audit: number;
  readonly ioctl: number;
  readonly keys: readonly number[];
}

const X86_64: Calls = { audit: 0xc000_003e, ioctl: 16, keys: [248, 249, 250] };

const I386: Calls = { audit: 0x4000_0003, ioctl: 54, keys: [286, 287, 288] };

const AARCH64: Calls = { audit: 0xc000_00b7, ioctl: 29, keys: [217, 218, 219] };

const ARM: Calls = { audit: 0x4000_0028, ioctl: 54, keys: [309, 310, 311] };

/** By the name that `uname -m` gives, the kinds of programs that such a machine runs. */
const MACHINES: Readonly<Record<string, readonly Calls[]>> = {
  x86_64: [X86_64, I386],
  aarch64: [AARCH64, ARM],
};

/** `TIOCSTI` puts a character into a terminal's input, `TIOCLINUX` may paste. */
const FORBIDDEN_CONTROLS = [0x5412, 0x541c];

/** On x86-64, the bit of calls with short pointers, which have numbers of their own. */
const X32_BIT = 0x4000_0000;

const LOAD = 0x20;

const IF_EQUAL = 0x15;

const IF_BIT = 0x45;

const RETURN = 0x06;

const ALLOW = 0x7fff_0000;

/** The call fails with "Operation not permitted". */
const REFUSE = 0x0005_0001;

type Instruction = readonly [code: number, yes: number, no: number, value: number];

/** The part for one kind of programs: entered behind the test for it, left by an answer. */
function part({ audit, ioctl, keys }: Calls): readonly Instruction[] {
  const tests: Instruction[] = [
    [LOAD, 0, 0, 0],
    ...(audit === X86_64.audit ? [[IF_BIT, 0, 1, X32_BIT], [RETURN, 0, 0, REFUSE]] as const : []),
    ...keys.flatMap((key): Instruction[] => [[IF_EQUAL, 0, 1, key], [RETURN, 0, 0, REFUSE]]),
    [IF_EQUAL, 1, 0, ioctl],
    [RETURN, 0, 0, ALLOW],
    // The second argument, of which a terminal looks at the lower half.
    [LOAD, 0, 0, 24],
    ...FORBIDDEN_CONTROLS.flatMap((control): Instruction[] => [
      [IF_EQUAL, 0, 1, control],
      [RETURN, 0, 0, REFUSE],
    ]),
    [RETURN, 0, 0, ALLOW],
  ];
  return tests;
}

/**
 * The filter as the kernel reads it, for a machine by the name that `uname -m` gives; null where its calls are not
 * known. Programs of a kind that the machine should not be able to run get no call through.
 */
export function systemCallFilter(machine: string): Uint8Array | null {
  const kinds = MACHINES[machine];
  if (kinds === undefined) return null;
  const program: Instruction[] = [[LOAD, 0, 0, 4]];
  for (const calls of kinds) {
    const own = part(calls);
    program.push([IF_EQUAL, 0, own.length, calls.audit], ...own);
  }
  program.push([RETURN, 0, 0, REFUSE]);
  const bytes = new Uint8Array(program.length * 8);
  const view = new DataView(bytes.buffer);
  for (const [index, [code, yes, no, value]] of program.entries()) {
    view.setUint16(index * 8, code, true);
    view.setUint8(index * 8 + 2, yes);
    view.setUint8(index * 8 + 3, no);
    view.setUint32(index * 8 + 4, value, true);
  }
  return bytes;
}

/** What makes boxes here, or why nothing does. */
export type Maker =
  | {
    readonly kind: "bubblewrap";
    /** The processor, as `uname -m` names it. */
    readonly machine: string;
    /** Whether `env` can give programs back what an interrupt usually does. */
    readonly resets: boolean;
  }
  | { readonly kind: "seatbelt" }
  | { readonly kind: "none"; /** As the end of a sentence. */ readonly reason: string };

/** How long a trial may take. */
const TRIAL_MS = 10_000;

/** Lets a program hear of interrupts although what starts it does not. */
const RESET: readonly string[] = ["env", "--default-signal=INT,QUIT"];

/** The program that tells that a box was made, and the machine's kind. */
const WITNESS: readonly string[] = ["uname", "-m"];

function trial(command: string, args: readonly string[]): ProcessRequest {
  return { command, args, timeoutMs: TRIAL_MS, maxOutputBytes: 10_000 };
}

const SEATBELT_TRIAL = ["-p", "(version 1)(allow default)", ...WITNESS];

/** Whether a request is a trial, which changes nothing. */
export function isBoxTrial({ command, args }: ProcessRequest): boolean {
  if (command === "sandbox-exec") return args.join("\n") === SEATBELT_TRIAL.join("\n");
  const all = [[], RESET].flatMap((before) =>
    (["none", "full"] as const).map((network) =>
      [...trialArguments(network), "--", ...before, ...WITNESS].join("\n")
    )
  );
  return command === "bwrap" && all.includes(args.join("\n"));
}

function whyNot(text: string): string {
  const line = cleanLine(text.trim().split("\n").at(-1) ?? "", 200);
  return /namespace|uid map|gid map|setgroups|Operation not permitted/i.test(line)
    ? `this system, or the container around it, lets programs make no namespaces of their own (${line})`
    : line === ""
    ? "bubblewrap does not work here and does not say why"
    : `bubblewrap does not work here (${line})`;
}

async function tryBubblewrap({ processes }: System, network: Network): Promise<Maker> {
  let reason = "";
  for (const resets of [true, false]) {
    const before = resets ? RESET : [];
    const result = await processes.run(
      trial("bwrap", [...trialArguments(network), "--", ...before, ...WITNESS]),
    );
    if (result.startError !== null) {
      return { kind: "none", reason: "bubblewrap is not installed" };
    }
    if (result.exitCode === 0) return { kind: "bubblewrap", machine: result.stdout.trim(), resets };
    reason = result.timedOut ? "bubblewrap did not come to an end here" : whyNot(result.stderr);
  }
  return { kind: "none", reason };
}

/** Tries it once. Runs on a world that refuses changes, too. */
export async function findMaker(system: System, network: Network): Promise<Maker> {
  switch (system.env.platform) {
    case "linux":
      return await tryBubblewrap(system, network);
    case "darwin": {
      const result = await system.processes.run(trial("sandbox-exec", SEATBELT_TRIAL));
      return result.exitCode === 0
        ? { kind: "seatbelt" }
        : { kind: "none", reason: "sandbox-exec does not work here" };
    }
    case "windows":
      return { kind: "none", reason: "there is none for Windows" };
  }
}

/** A box that programs can be started in; it is gone when the work is done for which it was made. */
interface Box {
  /** The argument vector that starts a program in it, which finds `variables` in its environment besides. */
  vector(argv: readonly string[], how: {
    /** Whether it has the terminal. */
    readonly terminal: boolean;
    /** Where it begins; the directory of the plan when absent. */
    readonly cwd?: string | undefined;
    readonly variables?: Readonly<Record<string, string>>;
  }): readonly string[];
  /** The same world, whose programs run in the box and know nothing of the environment of this one. */
  readonly inside: System;
  /** Where a program finds its temporary files and what amof keeps; null takes a variable away. */
  readonly variables: Readonly<Record<string, string | null>>;
}

/** Ignores what is typed to interrupt, which is for the program in the box alone, and hands over the filter. */
const WITH_FILTER = 'exec "$@" 9<"$0"';
const DEAF = 'trap "" INT QUIT; ';

/** The same for `env`, which takes a program with this sign in its name for an assignment. */
function shimmed(argv: readonly string[]): readonly string[] {
  return argv[0]?.includes("=") === true ? ["sh", "-c", 'exec "$0" "$@"', ...argv] : argv;
}

/** Where amof in the box keeps its own records, which go with it: those of its user are out of reach there. */
function amofVariables(temporary: string, layout: Layout): Box["variables"] {
  return {
    TMPDIR: temporary,
    AMOF_HOME: null,
    AMOF_CONFIG_HOME: layout.config,
    AMOF_DATA_HOME: layout.data,
    AMOF_STATE_HOME: join(temporary, "amof", "state"),
    AMOF_CACHE_HOME: join(temporary, "amof", "cache"),
  };
}

/** The variables without which programs do not find their way. */
const NEEDED_VARIABLES = ["PATH", "HOME", "USER", "LOGNAME", "LANG", "TZ"];

function insideOf(system: System, box: Pick<Box, "vector" | "variables">): System {
  const { env, processes } = system;
  const needed = NEEDED_VARIABLES.map((name) => [name, env.get(name) ?? null]);
  return {
    ...system,
    processes: {
      ...processes,
      run(request) {
        const argv = [request.command, ...request.args];
        const [command = "", ...args] = box.vector(argv, { terminal: false, cwd: request.cwd });
        return processes.run({
          ...request,
          command,
          args,
          clearEnv: true,
          ours: true,
          env: { ...Object.fromEntries(needed), ...box.variables, ...request.env },
        });
      },
    },
  };
}

/** Makes a box and does work with it. The maker must be one. */
export async function withBox<T>(
  system: System,
  { plan, maker, layout }: {
    readonly plan: BoxPlan;
    readonly maker: Exclude<Maker, { readonly kind: "none" }>;
    readonly layout: Layout;
  },
  work: (box: Box) => Promise<T>,
): Promise<T> {
  const { files } = system;
  const own = Object.fromEntries(
    privatePlaces(plan).map((_, index) => [`${OWN.temporary(index)}/`, ""]),
  );
  return await files.scratch({ ...own, "tmp/": "", [OWN.empty]: "" }, async (made) => {
    const directory = await files.realPath(made) ?? made;
    if (maker.kind === "seatbelt") {
      const profile = seatbeltProfile(plan, join(directory, "tmp"));
      const vector: Box["vector"] = (argv, { variables = {} }) => [
        "sandbox-exec",
        "-p",
        profile,
        "env",
        ...Object.entries(variables).map(([name, value]) => `${name}=${value}`),
        ...shimmed(argv),
      ];
      const variables = amofVariables(join(directory, "tmp"), layout);
      return await work({ vector, variables, inside: insideOf(system, { vector, variables }) });
    }
    const filter = systemCallFilter(maker.machine);
    const filterFile = join(directory, OWN.filter);
    if (filter !== null) await files.create(filterFile, filter, { flush: false });
    const vector: Box["vector"] = (argv, { terminal, cwd = plan.directory, variables = {} }) => {
      // Without the filter a program could type at the terminal for whoever sits there.
      const session = !terminal || filter === null;
      const deaf = terminal && maker.resets && !session;
      return [
        "sh",
        "-c",
        filter === null ? 'exec "$@"' : `${deaf ? DEAF : ""}${WITH_FILTER}`,
        filterFile,
        "bwrap",
        ...bubblewrapArguments(plan, { own: directory, session }),
        "--chdir",
        cwd,
        ...Object.entries(variables).flatMap(([name, value]) => ["--setenv", name, value]),
        ...(filter === null ? [] : ["--seccomp", "9"]),
        "--",
        ...(deaf ? [...RESET, ...shimmed(argv)] : argv),
      ];
    };
    const variables = amofVariables("/tmp", layout);
    return await work({ vector, variables, inside: insideOf(system, { vector, variables }) });
  });
}
