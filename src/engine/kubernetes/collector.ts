/**
 * Collects what shards told, from the logs of their pods, and from what they wrote when they ended (ENGINE-9).
 *
 * @module
 */

import type { Collector } from "../port.ts";
import type { ShardLine } from "../shard/line.ts";
import { linesIn } from "../shard/read.ts";
import { linesOfSummary } from "../shard/summary.ts";
import type { Pod } from "./views.ts";

/** The pods of an array, and their logs. */
interface Source {
  readonly run: string;
  readonly pods: () => Promise<readonly Pod[]>;
  /** The log of a pod; null where it is gone. */
  readonly log: (pod: Pod) => Promise<string | null>;
}

/** Whether nothing is missing of what one start of a shard told. */
function isWhole(lines: readonly ShardLine[]): boolean {
  return lines.at(-1)?.type === "end" && lines.every(({ seq }, at) => seq === at);
}

/** Reads the log of each pod once, when it has ended. */
export class PodCollector implements Collector {
  readonly #source: Source;
  /** The pods whose logs have been read. */
  readonly #read = new Set<string>();

  constructor(source: Source) {
    this.#source = source;
  }

  async *next(): AsyncGenerator<ShardLine> {
    const { run, pods, log } = this.#source;
    for (const pod of await pods()) {
      const isOver = pod.phase === "Succeeded" || pod.phase === "Failed";
      if (!isOver || this.#read.has(pod.name)) continue;
      const text = await log(pod);
      // A node that does not answer now may answer later; where it never does, its pods keep how they ended.
      if (text !== null || pod.message !== null) this.#read.add(pod.name);
      const lines = [...linesIn(text ?? "", run, pod.index)];
      yield* lines;
      // A log that was rotated away, in whole or its beginning, leaves what the pod's status keeps.
      if (!isWhole(lines)) yield* linesOfSummary(pod.message ?? "", run, pod.index);
    }
  }
}
