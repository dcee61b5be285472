import { deployedFiles, goldenFiles, write } from "./golden.ts";

await write(await goldenFiles());
await write(await deployedFiles());
