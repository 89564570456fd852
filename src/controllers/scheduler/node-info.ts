// A node and what the pods on it take up. The sums are kept up to date by what comes and goes: judging a node costs the same
// however many pods it has.

import type { ApiObject } from "../../api/object.ts";
import type { Node } from "../../api/types.ts";
import { HostPorts } from "./host-ports.ts";
import type { PodInfo } from "./pod-info.ts";
import { addTo, type Resources, resourcesOf } from "./pod-resources.ts";

export type SchedulableNode = Node & ApiObject;

/** Why a pod cannot be on the node, in the words that its event counts; nothing if it can. */
export type NodeFilter = (node: NodeInfo) => readonly string[];

export class NodeInfo {
  readonly name: string;
  #node: SchedulableNode;
  #allocatable: Resources;
  /** Of all that is on it, or on its way to it. */
  readonly #requested = new Map<string, number>();
  readonly #guessed = new Map<string, number>();
  readonly ports: HostPorts = new HostPorts();
  #podCount = 0;
  #isExact = true;

  constructor(node: SchedulableNode) {
    this.name = node.metadata.name ?? "";
    this.#node = node;
    this.#allocatable = resourcesOf(node.status.allocatable);
  }

  get node(): SchedulableNode {
    return this.#node;
  }

  set node(node: SchedulableNode) {
    this.#node = node;
    this.#allocatable = resourcesOf(node.status.allocatable);
  }

  get podCount(): number {
    return this.#podCount;
  }

  label(key: string): string | undefined {
    const labels = this.#node.metadata.labels ?? {};
    return Object.hasOwn(labels, key) ? labels[key] : undefined;
  }

  allocatable(resource: string): number {
    return this.#allocatable.get(resource) ?? 0;
  }

  requested(resource: string): number {
    return this.#requested.get(resource) ?? 0;
  }

  /** With a guess for containers that do not say. */
  guessed(resource: string): number {
    return this.#guessed.get(resource) ?? 0;
  }

  /** False once a sum was so large that what is taken from it again may leave something over: count anew. */
  get isExact(): boolean {
    return this.#isExact;
  }

  add(pod: PodInfo): void {
    this.#podCount++;
    addTo(this.#requested, pod.requests);
    addTo(this.#guessed, pod.guessed);
    // Every request is part of the guess.
    const sums = Array.from(pod.guessed.keys(), (name) => this.guessed(name));
    this.#isExact &&= sums.every(Number.isSafeInteger);
    for (const port of pod.ports) this.ports.add(port);
  }

  /** What was added, as it was added. */
  remove(pod: PodInfo): void {
    this.#podCount--;
    addTo(this.#requested, pod.requests, -1);
    addTo(this.#guessed, pod.guessed, -1);
    for (const port of pod.ports) this.ports.remove(port);
  }
}
