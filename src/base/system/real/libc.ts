/** The library of C, where the system has the one of GNU. No other library is opened, and none later. */

const FUNCTIONS = {
  // What looks at files.
  close: { parameters: ["i32"], result: "i32" },
  open: { parameters: ["buffer", "i32"], result: "i32" },
  read: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  statvfs: { parameters: ["buffer", "buffer"], result: "i32" },
  // Older libraries have no functions of their own for these calls. No result is longer.
  entries: { name: "syscall", parameters: ["i64", "i32", "buffer", "usize"], result: "i32" },
  note: {
    name: "syscall",
    parameters: ["i64", "i32", "buffer", "i32", "u32", "buffer"],
    result: "i32",
  },
  // What starts programs and waits for them.
  write: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  openProcess: { name: "syscall", parameters: ["i64", "i32", "u32"], result: "i32" },
  /** Where the bytes of a buffer stand, when it is looked for the first of them. */
  placeOf: { name: "memchr", parameters: ["buffer", "i32", "usize"], result: "usize" },
  copied: { name: "memcpy", parameters: ["buffer", "usize", "usize"], result: "void" },
  strlen: { parameters: ["usize"], result: "usize" },
  environ: { type: "pointer" },
  eventfd: { parameters: ["u32", "i32"], result: "i32" },
  fcntl: { parameters: ["i32", "i32", "i32"], result: "i32" },
  pipe2: { parameters: ["buffer", "i32"], result: "i32" },
  poll: { parameters: ["buffer", "usize", "i32"], result: "i32", nonblocking: true },
  // Apart, because whoever calls it waits until the program has begun.
  posix_spawn: {
    parameters: ["buffer", "buffer", "buffer", "buffer", "buffer", "buffer"],
    result: "i32",
    nonblocking: true,
  },
  posix_spawn_file_actions_addchdir_np: {
    parameters: ["buffer", "buffer"],
    result: "i32",
    optional: true,
  },
  posix_spawn_file_actions_adddup2: { parameters: ["buffer", "i32", "i32"], result: "i32" },
  posix_spawn_file_actions_addopen: {
    parameters: ["buffer", "i32", "buffer", "i32", "u32"],
    result: "i32",
  },
  posix_spawn_file_actions_destroy: { parameters: ["buffer"], result: "i32" },
  posix_spawn_file_actions_init: { parameters: ["buffer"], result: "i32" },
  posix_spawnattr_init: { parameters: ["buffer"], result: "i32" },
  posix_spawnattr_setflags: { parameters: ["buffer", "i16"], result: "i32" },
  posix_spawnattr_setsigdefault: { parameters: ["buffer", "buffer"], result: "i32" },
  posix_spawnattr_setsigmask: { parameters: ["buffer", "buffer"], result: "i32" },
  sigaction: { parameters: ["i32", "buffer", "buffer"], result: "i32" },
  waitpid: { parameters: ["i32", "buffer", "i32"], result: "i32" },
  ended: {
    name: "waitpid",
    parameters: ["i32", "buffer", "i32"],
    result: "i32",
    nonblocking: true,
  },
} as const;

function library() {
  if (Deno.build.os !== "linux") return null;
  try {
    return Deno.dlopen("libc.so.6", FUNCTIONS).symbols;
  } catch {
    return null;
  }
}

/**
 * Its functions; null where they are not. Taken with the program: what loads libraries is given up before anything else
 * is done (`confinedHttp`).
 */
export const calls = library();
/** See {@linkcode calls}; null also where no directories of programs can be chosen, which version 2.29 and later do. */
export const programCalls = calls?.posix_spawn_file_actions_addchdir_np ? calls : null;
/** Where the variable stands that says where the environment of this process is; 0 where that is not known. */
const ENVIRONMENT = Deno.UnsafePointer.value(calls?.environ ?? null);

const encoder = new TextEncoder();

/** A text as it takes it. */
export function cString(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(`${text}\0`);
}

/** As many bytes of a variable are looked at for its name. */
const LONGEST_NAME = 1_024;
const EQUALS = 61;

type Calls = NonNullable<typeof calls>;

const decoder = new TextDecoder();

/** Numbers that stand one behind the other in memory. */
function numbersAt({ copied }: Calls, place: bigint, count: number): BigUint64Array {
  const numbers = new BigUint64Array(count);
  copied(numbers, place, BigInt(8 * count));
  return numbers;
}

/** The variables of this process: where their list was, with where each stands and a zero behind, and their names. */
let variables = { list: 0n, places: new BigUint64Array([0n]), names: [""] };

/** Where the variables of this process stand in memory, but for some. Their texts need not be UTF-8. */
export function inherited(calls: Calls, without: Readonly<Record<string, unknown>>): bigint[] {
  const [list = 0n] = ENVIRONMENT === 0n ? [] : numbersAt(calls, ENVIRONMENT, 1);
  if (list === 0n) return [];
  const known = variables.places;
  const isSame = list === variables.list &&
    numbersAt(calls, list, known.length).every((place, index) => place === known[index]);
  if (!isSame) variables = listed(calls, list);
  const { places, names } = variables;
  return names.flatMap((name, index) => Object.hasOwn(without, name) ? [] : [places[index] ?? 0n]);
}

function listed(calls: Calls, list: bigint): typeof variables {
  const places: bigint[] = [];
  const names: string[] = [];
  const begin = new Uint8Array(LONGEST_NAME);
  for (let at = list;; at += 8n) {
    const [variable = 0n] = numbersAt(calls, at, 1);
    places.push(variable);
    if (variable === 0n) return { list, places: BigUint64Array.from(places), names };
    const length = Math.min(LONGEST_NAME, Number(calls.strlen(variable)));
    calls.copied(begin, variable, BigInt(length));
    const end = Math.max(0, begin.subarray(0, length).indexOf(EQUALS));
    names.push(decoder.decode(begin.subarray(0, end)));
  }
}
