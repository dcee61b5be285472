/** Signals to processes of this machine. */

/** Sends a signal to a process or its group; whether there was somebody to send it to. */
export function signal(pid: number, name: "SIGTERM" | "SIGKILL", group: boolean): boolean {
  // Zero and negative numbers would mean other groups, or every process of the user.
  if (!Number.isInteger(pid) || pid <= 1) return false;
  try {
    Deno.kill(group && Deno.build.os !== "windows" ? -pid : pid, name);
    return true;
  } catch {
    return false;
  }
}
