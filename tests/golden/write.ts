import { deployedFiles, goldenFiles, manifestSet, referenceSet, write } from "./golden.ts";

await write(await goldenFiles());
await write(await deployedFiles());
await write(manifestSet());
await write(await referenceSet());
