// Deploys in a process of its own and stops for ever before the rename that the argument numbers, so that a
// test can kill it there. Says "stalled" on standard output when it has got that far.

import { deployApply } from "./pack_calls.ts";
import { makePack } from "../../src/apps/agentpack/pack.ts";
import { realSystem } from "../../src/base/system/real/mod.ts";

const stallAt = Number(Deno.args[0]);
const real = realSystem();
let renames = 0;
const system = {
  ...real,
  files: {
    ...real.files,
    async rename(from: string, to: string): Promise<void> {
      if (++renames === stallAt) {
        await Deno.stdout.write(new TextEncoder().encode("stalled\n"));
        await new Promise<void>((resolve) => setTimeout(resolve, 600_000));
      }
      await real.files.rename(from, to);
    },
  },
};
await deployApply(makePack({ system, version: "0.1.0", prefix: "agentpack" }), {}, {
  adopt: true,
  approve: () => Promise.resolve(),
});
