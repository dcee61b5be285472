/**
 * Appends events to one run, and entries to the audit log, from a thread of its own, for the test of two writers at once.
 *
 * @module
 */

import { runId } from "../../../../src/base/ids.ts";
import { openStore } from "../../../../src/state/store/open.ts";
import { decision, line, newRun } from "./_records.ts";

interface Task {
  readonly path: string;
  readonly id: string;
  readonly name: string;
  readonly times: number;
}

const scope = self as unknown as {
  onmessage: ((event: MessageEvent<Task>) => void) | null;
  postMessage(message: string): void;
};

scope.onmessage = ({ data }) => {
  const store = openStore(data.path);
  for (let n = 0; n < data.times; n++) {
    store.events.append(runId(data.id), [line(`${data.name} ${n}`), line("x")]);
    store.audit.add(decision({ tool: data.name }));
  }
  const holds = store.runs.add(newRun({ locks: [{ key: "one", shared: false }] }));
  store.close();
  scope.postMessage(holds ? "holds" : "refused");
};

scope.postMessage("ready");
