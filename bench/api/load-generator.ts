// The process that makes the load: jobs come over IPC, one at a time, and each is answered with what was measured.

import { etcdLoad } from "./etcd-load.ts";
import { fanOutLoad } from "./fan-out-load.ts";
import { type HeldWatches, holdWatches } from "./held-watches.ts";
import type { Job, Results } from "./jobs.ts";
import { requestLoad } from "./request-load.ts";

let held: HeldWatches | undefined;

process.on("message", (job: Job) => {
  run(job).then(
    (result) => process.send?.({ result }),
    (err: unknown) =>
      process.send?.({ failure: err instanceof Error ? (err.stack ?? err.message) : String(err) }),
  );
});
process.on("disconnect", () => process.exit());

async function run(job: Job): Promise<Results[Job["do"]]> {
  switch (job.do) {
    case "requests":
      return requestLoad(job);
    case "fan-out":
      return fanOutLoad(job);
    case "etcd":
      return etcdLoad(job);
    case "hold":
      held = await holdWatches(job);
      return job.watchers;
    case "release":
      held?.close();
      held = undefined;
      return 0;
  }
}
