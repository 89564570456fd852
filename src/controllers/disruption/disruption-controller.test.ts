import { deepEqual, equal } from "node:assert/strict";
import { describe, it } from "node:test";
import type { ApiObject } from "../../api/object.ts";
import { controllerReference } from "../../controller/owner.ts";
import { SimCluster } from "../../controller/testing/sim-cluster.ts";
import { DEPLOYMENT, REPLICA_SET } from "../deployment/deployment-objects.ts";
import { POD, servedKind } from "../pods/pod-object.ts";
import type { BudgetObject } from "./budget-status.ts";
import { DisruptionController } from "./disruption-controller.ts";

const BUDGET = servedKind("policy/v1", "PodDisruptionBudget");
const labels = { app: "web" };
const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
const selector = { matchLabels: labels };

describe("DisruptionController", () => {
  const started = async (spec: object): Promise<SimCluster> => {
    const sim = new SimCluster({ seed: 1 });
    sim.create(BUDGET, { metadata: { name: "b" }, spec: { selector, ...spec } });
    await sim.start(new DisruptionController(sim.context));
    await sim.settle();
    return sim;
  };

  it("follows pods as they come, get well, and go", async () => {
    await using sim = await started({ minAvailable: 1 });
    equal(numbers(sim), "0 of 0 well, 1 wanted, 0 may go");
    put(sim, "a");
    put(sim, "b");
    put(sim, "other", { labels: { app: "other" } });
    await sim.settle();
    equal(numbers(sim), "0 of 2 well, 1 wanted, 0 may go");
    ready(sim, "a");
    ready(sim, "b");
    await sim.settle();
    equal(numbers(sim), "2 of 2 well, 1 wanted, 1 may go");
    equal(budget(sim).status.observedGeneration, budget(sim).metadata.generation);
    sim.delete(POD, "default/a", { gracePeriodSeconds: 0 });
    await sim.settle();
    equal(numbers(sim), "1 of 1 well, 1 wanted, 0 may go");
    sim.patch(POD, "default/b", { metadata: { labels: { app: "other" } } });
    await sim.settle();
    equal(numbers(sim), "0 of 0 well, 1 wanted, 0 may go");
  });

  it("counts a share of what the Deployment above the pods wants, also when that changes", async () => {
    await using sim = await started({ minAvailable: "50%" });
    const spec = { replicas: 4, selector, template };
    const deployment = sim.create(DEPLOYMENT, { metadata: { name: "web" }, spec });
    const above = [controllerReference(DEPLOYMENT, deployment)];
    const made = { metadata: { name: "web-1", ownerReferences: above }, spec };
    const owner = sim.create(REPLICA_SET, made);
    const ownerReferences = [controllerReference(REPLICA_SET, owner)];
    for (const name of ["a", "b", "c"]) {
      put(sim, name, { ownerReferences });
      ready(sim, name);
    }
    await sim.settle();
    equal(numbers(sim), "3 of 4 well, 2 wanted, 1 may go");
    sim.patch(DEPLOYMENT, "default/web", { spec: { replicas: 6 } });
    await sim.settle();
    equal(numbers(sim), "3 of 6 well, 3 wanted, 0 may go");
  });

  it("takes an eviction that did not happen back after two minutes, and tells of it", async () => {
    await using sim = await started({ minAvailable: 0 });
    put(sim, "a");
    ready(sim, "a");
    await sim.settle();
    const disruptedPods = { a: new Date(sim.clock.now()).toISOString() };
    sim.patchStatus(BUDGET, "default/b", { status: { disruptionsAllowed: 0, disruptedPods } });
    await sim.pass(119_000);
    equal(numbers(sim), "0 of 1 well, 0 wanted, 0 may go");
    await sim.pass(2000);
    equal(numbers(sim), "1 of 1 well, 0 wanted, 1 may go");
    deepEqual(budget(sim).status.disruptedPods ?? {}, {});
    equal(sim.events.at(-1)?.reason, "NotDeleted");
  });

  it("allows nothing where nobody says how many pods are wanted, and says so", async () => {
    await using sim = await started({ maxUnavailable: 1 });
    const owner = { kind: "Other", apiVersion: "example.com/v1", name: "o", uid: "u" };
    put(sim, "a", { ownerReferences: [{ ...owner, controller: true }] });
    await sim.settle();
    const [condition] = budget(sim).status.conditions ?? [];
    equal(condition?.reason, "SyncFailed");
    equal(condition.message, 'found no controllers for pod "a"');
    equal(budget(sim).status.disruptionsAllowed, 0);
  });
});

function put(sim: SimCluster, name: string, metadata: object = {}): void {
  const { spec } = template;
  sim.create(POD, { metadata: { name, labels, ...metadata }, spec: { ...spec, nodeName: "n" } });
}

function ready(sim: SimCluster, name: string): void {
  const conditions = [{ type: "Ready", status: "True" }];
  sim.patchStatus(POD, `default/${name}`, { status: { conditions } });
}

function budget(sim: SimCluster): BudgetObject {
  const found = sim.get<BudgetObject & ApiObject>(BUDGET, "default/b");
  if (found === undefined) throw new Error("the budget is gone");
  return found;
}

function numbers(sim: SimCluster): string {
  const { expectedPods, currentHealthy, desiredHealthy, disruptionsAllowed } = budget(sim).status;
  return `${currentHealthy} of ${expectedPods} well, ${desiredHealthy} wanted, ${disruptionsAllowed} may go`;
}
