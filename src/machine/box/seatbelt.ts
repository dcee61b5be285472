/**
 * A box as a profile of Seatbelt, on macOS, where `sandbox-exec` starts programs under it.
 *
 * Of its rules the last that fits counts, so places come before what lies in them.
 */

import type { BoxPlan } from "./plan.ts";

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
