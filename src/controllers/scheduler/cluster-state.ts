// Nodes, and the pods on them: what is known from the server, and what the scheduler has decided and the server has not shown yet. A
// pod counts against its node from the moment of the decision, so two decisions never share one place.
//
// Invariants: a uid is on at most one node; each node's sums, and all counts, are those of exactly the pods in `#placed`.

import type { Labels } from "../../api/selectors/label-requirement.ts";
import { type CountsByNode, NodeCounts } from "./node-counts.ts";
import { NodeInfo, type SchedulableNode } from "./node-info.ts";
import type { PodInfo } from "./pod-info.ts";
import { type PodOnNode, type PodQuestion, PodTallies } from "./pod-tallies.ts";
import type { NamespaceLabels, PodTerms } from "./pod-terms.ts";
import { TermHolders } from "./term-holders.ts";

const TERM_KINDS = ["required", "requiredAnti", "preferred", "preferredAnti"] as const;

export class ClusterState {
  readonly #nodes = new Map<string, NodeInfo>();
  /** By uid. */
  readonly #placed = new Map<string, PodOnNode>();
  /** By node, by uid; of nodes that are not known as well, for the day when they are. */
  readonly #byNode = new Map<string, Map<string, PodInfo>>();
  readonly #byController = new NodeCounts();
  readonly #tallies: PodTallies;
  readonly #namespaces = new Map<string, Labels>();
  /** Which terms the pods on nodes hold. */
  readonly holders: Readonly<Record<keyof PodTerms, TermHolders>> = {
    required: new TermHolders(),
    requiredAnti: new TermHolders(),
    preferred: new TermHolders(),
    preferredAnti: new TermHolders(),
  };
  readonly namespaceLabels: NamespaceLabels = (namespace) => this.#namespaces.get(namespace) ?? {};

  constructor() {
    this.#tallies = new PodTallies(this.namespaceLabels);
  }

  get nodes(): readonly NodeInfo[] {
    return [...this.#nodes.values()];
  }

  node(name: string): NodeInfo | undefined {
    return this.#nodes.get(name);
  }

  setNode(node: SchedulableNode): void {
    const name = node.metadata.name ?? "";
    const held = this.#nodes.get(name);
    if (held !== undefined) {
      held.node = node;
      return;
    }
    this.#nodes.set(name, this.#counted(node));
  }

  /** Its pods stay what they are: others may still see them in their counts. */
  deleteNode(name: string): void {
    this.#nodes.delete(name);
  }

  setNamespace(name: string, labels: Labels | undefined): void {
    this.#tallies.forgetNamespaces();
    if (labels === undefined) this.#namespaces.delete(name);
    else this.#namespaces.set(name, labels);
  }

  /** Where the pod is; undefined if it is nowhere. */
  placeOf(uid: string): PodOnNode | undefined {
    return this.#placed.get(uid);
  }

  /** It is on this node from now on, and nowhere else. */
  place(info: PodInfo, node: string): void {
    this.remove(info.uid);
    this.#placed.set(info.uid, { info, node });
    const onNode = this.#byNode.get(node) ?? new Map<string, PodInfo>();
    this.#byNode.set(node, onNode.set(info.uid, info));
    this.#nodes.get(node)?.add(info);
    this.#tallies.add({ info, node });
    if (info.controller !== undefined && !info.isGoing) {
      this.#byController.add(info.controller, node, 1);
    }
    for (const kind of TERM_KINDS) {
      for (const term of info.terms[kind]) this.holders[kind].add(term, node);
    }
  }

  /** It is on no node. Says where it was. */
  remove(uid: string): PodOnNode | undefined {
    const placed = this.#placed.get(uid);
    if (placed === undefined) return undefined;
    const { info, node } = placed;
    this.#placed.delete(uid);
    const onNode = this.#byNode.get(node);
    onNode?.delete(uid);
    if (onNode?.size === 0) this.#byNode.delete(node);
    this.#removeFromNode(info, node);
    this.#tallies.remove(placed);
    if (info.controller !== undefined && !info.isGoing) {
      this.#byController.add(info.controller, node, -1);
    }
    for (const kind of TERM_KINDS) {
      for (const term of info.terms[kind]) this.holders[kind].remove(term, node);
    }
    return placed;
  }

  #counted(node: SchedulableNode): NodeInfo {
    const info = new NodeInfo(node);
    for (const pod of this.#byNode.get(info.name)?.values() ?? []) info.add(pod);
    return info;
  }

  #removeFromNode(pod: PodInfo, name: string): void {
    const info = this.#nodes.get(name);
    if (info?.isExact === false) this.#nodes.set(name, this.#counted(info.node));
    else info?.remove(pod);
  }

  /** How many pods on each node answer with yes. */
  count(question: PodQuestion): CountsByNode {
    return this.#tallies.answer(question, this.#placed.values());
  }

  /** How many pods of this controller each node has, without those that are going. */
  countOfController(uid: string): CountsByNode {
    return this.#byController.of(uid);
  }
}
