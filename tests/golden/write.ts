import { deployedFiles, goldenFiles, manifestSet, write } from "./golden.ts";

await write(await goldenFiles());
await write(await deployedFiles());
await write(manifestSet());
