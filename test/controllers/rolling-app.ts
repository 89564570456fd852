// A Deployment whose pods take their time to become ready, and some of which break once by themselves. What a pod does follows from
// its name and the salt of its template.

import assert from "node:assert/strict";
import type { Deployment, Pod, ReplicaSet } from "../../src/api/types.ts";
import type { RollingObserver } from "./rolling-observer.ts";

/** Of pods: ready late, and some break; ready at once; never ready; ending at once. */
type Mode = "mixed" | "steady" | "silent" | "crashing";

export interface AppOptions {
  /** Of the namespace that it is to be in. */
  readonly observer: RollingObserver;
  readonly name: string;
  readonly replicas: number;
  readonly strategy: object;
  /** Of the first revision. */
  readonly mode?: Mode;
  readonly progressDeadlineSeconds?: number;
}

/** Ready up to a second after the start; one of four breaks up to three seconds after that, once, and starts again. */
const SCRIPT = `
rm -f /state/ready
case $MODE in
  steady) touch /state/ready; exec sleep infinity;;
  silent) exec sleep infinity;;
  crashing) exit 1;;
esac
n=$(echo "$POD $SALT" | cksum | cut -d ' ' -f 1)
sleep $((n % 5 / 4)).$((n % 9))
touch /state/ready
if [ $((n / 9 % 4)) = 0 ] && mkdir /state/broken; then sleep $((n / 36 % 3)).5; exit 1; fi
exec sleep infinity`;

interface List<T> {
  readonly items: readonly T[];
}

export class RollingApp {
  readonly #options: AppOptions;
  #salt = 0;
  /** The last that was made by a change. */
  #generation = 0;

  private constructor(options: AppOptions) {
    this.#options = options;
  }

  /** Settles when all of its pods are ready. */
  static async start(options: AppOptions): Promise<RollingApp> {
    const app = new RollingApp(options);
    await app.#write("POST", "/deployments", manifest(options));
    await app.complete();
    return app;
  }

  get name(): string {
    return this.#options.name;
  }

  /** Begins a new revision. */
  async restart(mode: Mode = "mixed"): Promise<void> {
    const annotations = { salt: String(++this.#salt), mode };
    await this.#change({ template: { metadata: { annotations } } });
  }

  async scale(replicas: number): Promise<void> {
    await this.#change({ replicas });
  }

  /** As kubectl does it: the template of the ReplicaSet with the second highest revision. */
  async undo(): Promise<void> {
    const sets = await this.#sets();
    const revisions = sets.toSorted((a, b) => revisionOf(b) - revisionOf(a));
    const { metadata, spec } = revisions[1]?.spec.template ?? {};
    const { "pod-template-hash": _, ...labels } = metadata?.labels ?? {};
    const value = { metadata: { ...metadata, labels }, spec };
    const patch = [{ op: "replace", path: "/spec/template", value }];
    await this.#write("PATCH", `/deployments/${this.name}`, patch, "application/json-patch+json");
  }

  /** That do not terminate. */
  async pods(): Promise<readonly Pod[]> {
    const { up, namespace } = this.#options.observer;
    const path = `/api/v1/namespaces/${namespace}/pods?labelSelector=app%3D${this.name}`;
    const { items } = await up.ask<List<Pod>>("GET", path);
    return items.filter(({ metadata }) => metadata.deletionTimestamp == null);
  }

  async complete(): Promise<void> {
    await this.until("it is rolled out", ({ spec: { replicas }, status }) => {
      const { updatedReplicas, availableReplicas, replicas: all } = status;
      assert.deepEqual([updatedReplicas, availableReplicas, all], [replicas, replicas, replicas]);
    });
  }

  /** Looks only at what the controller has said of the newest generation. */
  async until(what: string, look: (deployment: Deployment) => void): Promise<void> {
    const { observer } = this.#options;
    await observer.until(`${this.name}: ${what}`, () => {
      const deployment = observer.deployment(this.name);
      if (deployment === undefined) throw new Error("it is not there");
      assert.equal(deployment.status.observedGeneration, this.#generation);
      look(deployment);
    });
  }

  async #sets(): Promise<readonly ReplicaSet[]> {
    const selector = `labelSelector=app%3D${this.name}`;
    return (await this.#ask<List<ReplicaSet>>("GET", `/replicasets?${selector}`)).items;
  }

  async #change(spec: object): Promise<void> {
    const type = "application/merge-patch+json";
    await this.#write("PATCH", `/deployments/${this.name}`, { spec }, type);
  }

  async #write(method: string, path: string, body: object, contentType?: string): Promise<void> {
    const { metadata } = await this.#ask<Deployment>(method, path, body, contentType);
    this.#generation = metadata.generation ?? 0;
  }

  #ask<T>(method: string, path: string, body?: object, contentType?: string): Promise<T> {
    const { up, namespace } = this.#options.observer;
    return up.ask<T>(method, `/apis/apps/v1/namespaces/${namespace}${path}`, body, contentType);
  }
}

function manifest(options: AppOptions): object {
  const { name, replicas, strategy, mode = "mixed", progressDeadlineSeconds } = options;
  const labels = { app: name };
  const annotation = (of: string): object => ({
    fieldRef: { fieldPath: `metadata.annotations['${of}']` },
  });
  const container = {
    name: "main",
    image: "host",
    command: ["sh", "-c", SCRIPT],
    env: [
      { name: "POD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
      { name: "SALT", valueFrom: annotation("salt") },
      { name: "MODE", valueFrom: annotation("mode") },
    ],
    // Not asked any more once it has succeeded: running a program every second for each pod is much for a small machine.
    startupProbe: {
      exec: { command: ["test", "-e", "/state/ready"] },
      ...{ periodSeconds: 1, failureThreshold: 1000 },
    },
    volumeMounts: [{ name: "state", mountPath: "/state" }],
  };
  const spec = {
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 1,
    containers: [container],
    volumes: [{ name: "state", emptyDir: {} }],
  };
  const metadata = { labels, annotations: { salt: "0", mode } };
  const template = { metadata, spec };
  return {
    metadata: { name },
    spec: {
      ...{ replicas, strategy, selector: { matchLabels: labels }, template },
      ...(progressDeadlineSeconds !== undefined && { progressDeadlineSeconds }),
    },
  };
}

function revisionOf({ metadata }: ReplicaSet): number {
  return Number(metadata.annotations?.["deployment.kubernetes.io/revision"]);
}
