import { assertEquals } from "@std/assert";
import { isMountedReadOnly } from "../../../../src/base/system/real/stamps.ts";

const MOUNTS = `22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
23 22 8:2 / /mnt/with\\040space ro,nosuid - ext4 /dev/sdb1 rw
24 23 0:5 / /mnt/with\\040space/inner rw - tmpfs tmpfs rw
25 22 0:6 / /usb rw,relatime - vfat /dev/sdc1 ro,errors=remount-ro
26 22 0:7 / /twice ro - tmpfs tmpfs rw
27 22 0:8 / /twice rw - tmpfs tmpfs rw
28 22 0:9 / /data rw - ext4 /dev/sdd1 rw,errors=remount-ro
`;

Deno.test("isMountedReadOnly() asks the nearest mount, and of two in one place the last", () => {
  const readOnly = (path: string) => isMountedReadOnly(MOUNTS, path);
  assertEquals(readOnly("/home/me"), false);
  assertEquals(readOnly("/mnt/with space"), true);
  assertEquals(readOnly("/mnt/with space/deep/down"), true);
  assertEquals(readOnly("/mnt/with space/inner/x"), false);
  assertEquals(readOnly("/mnt/with spaces"), false);
  assertEquals(readOnly("/usb/x"), true);
  assertEquals(readOnly("/twice"), false);
  assertEquals(readOnly("/data/x"), false);
  assertEquals(isMountedReadOnly("", "/x"), false);
});
