// A scheduler for tests: every pod gets a node a moment after it was made, the one that it names or the next in turn.

import { resourcePath } from "../../../client/resource-path.ts";
import type { SimCluster } from "../../../controller/testing/sim-cluster.ts";
import { targetNode } from "../../daemon-set/daemon-pod.ts";
import { POD, type PodObject } from "../pod-object.ts";

const BIND_MS = 10;

/** Until it is disposed. */
export function bindPods(sim: SimCluster, nodeNames: () => readonly string[]): Disposable {
  const client = sim.clientOf("scheduler");
  let turn = 0;
  const bind = async (pod: PodObject): Promise<void> => {
    const names = nodeNames();
    const nodeName = targetNode(pod) ?? names[turn++ % names.length] ?? "";
    if (!names.includes(nodeName)) return;
    const { namespace, name = "" } = pod.metadata;
    const body = {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name },
      target: { apiVersion: "v1", kind: "Node", name: nodeName },
    };
    const path = resourcePath(POD, { namespace, name, subresource: "binding" });
    try {
      await client.request({ method: "POST", path, body });
    } catch {
      // It has gone meanwhile, or the test wants it to fail.
    }
  };
  return sim.observe(({ type, kind, object }) => {
    if (type !== "ADDED" || kind.kind !== "Pod") return;
    sim.clock.schedule(BIND_MS, () => void bind(object as PodObject));
  });
}
