/**
 * File systems of a test's own, which no other program sees.
 *
 * @module
 */

/** A namespace in which anybody may mount. */
export const APART = ["--user", "--map-root-user", "--mount"];

/** Whether file systems can be mounted here, for one program alone. */
export async function canMount(): Promise<boolean> {
  if (Deno.build.os !== "linux") return false;
  try {
    const line = "mount -t tmpfs -o size=64k none /mnt";
    const { success } = await new Deno.Command("unshare", { args: [...APART, "sh", "-c", line] })
      .output();
    return success;
  } catch {
    return false;
  }
}
