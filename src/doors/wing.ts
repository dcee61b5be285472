/**
 * What a wing of the doors brings, which stands on them. They know no more of one than this: taken off the list, what
 * remains works as before.
 */

import type { Fields } from "../base/object.ts";
import type { ZodNamespace } from "../contract/mod.ts";
import type { App } from "../pipeline/app.ts";
import type { JsonSchema } from "../pipeline/json_schema.ts";
import type { Program } from "../pipeline/line/program.ts";
import type { Features, Modes, MoreTools } from "./mcp/features.ts";
import type { Tool } from "./mcp/sdk.ts";
import type { ModelSkill } from "./mcp/skills.ts";
import type { StartFlags } from "./mcp/start.ts";

/** Which of its tools a server offers. */
export interface ToolChoice {
  /** Whether those that change something are left out. */
  readonly readOnly: boolean;
  /** The names of others that are left out. */
  readonly excluded: readonly string[];
}

/** How a server with its tools is started. */
export interface ToolStart extends ToolChoice {
  readonly flags: StartFlags;
  /** What was given of the flags that are about its tools alone. */
  readonly own: Fields;
}

/** Tools that are no commands, loaded. */
interface LoadedTools {
  /** Whether one of them is called so. */
  has(name: string): boolean;
  /** As a list of tools shows them. */
  list(choice: ToolChoice): readonly Tool[];
  /** What a server offers that has no others. */
  alone(app: App, start: ToolStart): Features;
  /** What a server offers beside those of commands, whose modes bind them. */
  beside(app: App, start: ToolStart, modes: Modes): MoreTools;
  /** Instructions for models of a server that has both, with that which it has without them. */
  skills(app: App, start: ToolStart, ours: ModelSkill): Promise<readonly ModelSkill[]>;
}

/** Tools with a contract of their own. */
export interface OwnTools {
  /** The word for all of them; a server that has no others is called so. */
  readonly toolset: string;
  /** The flags of a server that are about them alone. */
  readonly input: (z: ZodNamespace) => object;
  readonly load: () => Promise<LoadedTools>;
}

/** A wing of the doors. Its module loads nothing of it before it is called. */
export interface DoorWing {
  /** Where each of its programs is declared, by its words. */
  readonly programs?: Readonly<Record<string, () => Promise<Program>>>;
  readonly tools?: OwnTools;
  /** The JSON Schemas of files that people write, by name. */
  readonly schemas?: Readonly<Record<string, () => Promise<JsonSchema>>>;
}
