// ConfigMaps and Secrets with versions, as kustomize's generators make them, but kept by the cluster: a source that asks for it has an
// immutable copy of each content, named after that content; workloads that ask for it are pointed to the newest, so that a rollout
// follows a change and `kubectl rollout undo` brings the old content back with the old pods; and a copy goes when nothing can need it.
// Three loops, which know nothing of each other: what one has done the others see on the server.

import type { ControllerContext, RunnableController } from "../../controller/controller-context.ts";
import { ConfigObjects } from "./config-objects.ts";
import { CopyKeeper } from "./copy-keeper.ts";
import { CopyRemover } from "./copy-remover.ts";
import { WorkloadPointer } from "./workload-pointer.ts";
import { Workloads } from "./workloads.ts";

/** Longer than anybody needs from reading an old template to writing it back. */
const GRACE_MS = 300_000;

export interface VersionedOptions {
  /** How long a copy stays that nothing refers to. */
  readonly graceMs?: number;
}

export class VersionedController implements RunnableController {
  readonly name = "versioned-controller";
  readonly #parts: readonly { run(signal: AbortSignal): Promise<void> }[];

  constructor(context: ControllerContext, { graceMs = GRACE_MS }: VersionedOptions = {}) {
    const objects = new ConfigObjects(context);
    const workloads = new Workloads(context);
    const events = context.eventsOf(this.name);
    this.#parts = [
      objects,
      new CopyKeeper(context, { objects, events }),
      new WorkloadPointer(context, { objects, workloads, events }),
      new CopyRemover(context, { objects, graceMs }),
    ];
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#parts.map((part) => part.run(signal)));
  }
}
