import { goldenFiles, write } from "./golden.ts";

await write(await goldenFiles());
