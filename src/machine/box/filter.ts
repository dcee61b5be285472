/**
 * The filter of system calls that every box on Linux has: no words put into the keyboard of a terminal, and nothing of
 * the keys that the kernel keeps for the person.
 */

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
