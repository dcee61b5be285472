import { schemaFiles, write } from "./golden.ts";

await write(await schemaFiles());
