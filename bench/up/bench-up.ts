// `driftless up` as somebody runs it on a small machine: how long until it is ready, what it costs while nothing happens, and what it
// does with 200 pods. Everything is in one process, so that what is measured is all that there is beside the containers.

import { loadavg } from "node:os";
import { UpDirectory } from "../../test/up/driftless-up.ts";
import { report } from "../report.ts";
import { benchUpIdle } from "./up-idle.ts";
import { benchUpPods } from "./up-pods.ts";
import { benchUpStart } from "./up-start.ts";

interface Scale {
  readonly starts: number;
  readonly objects: number;
  readonly idleMs: number;
  readonly pods: number;
}

const full: Scale = { starts: 9, objects: 5000, idleMs: 20_000, pods: 200 };
const quick: Scale = { starts: 3, objects: 500, idleMs: 5000, pods: 20 };

export async function benchUp({ isQuick }: { readonly isQuick: boolean }): Promise<void> {
  const { starts, objects, idleMs, pods } = isQuick ? quick : full;
  report({ name: "load of the machine before", unit: "", ours: loadavg()[0] ?? 0 });
  await benchUpStart({ starts, objects });
  await using directory = new UpDirectory();
  const up = await directory.start({ flags: ["--max-pods", "250"] });
  await benchUpIdle({ up, what: "nothing to do", idleMs });
  await benchUpPods({ up, pods });
  await benchUpIdle({ up, what: `${pods} pods`, idleMs });
}
