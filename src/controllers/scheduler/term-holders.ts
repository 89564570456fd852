// The terms that pods hold, and on which nodes: each term once, however many pods hold it.

import { type CountsByNode, NodeCounts } from "./node-counts.ts";
import type { LabelledPod, NamespaceLabels, PodTerm } from "./pod-terms.ts";

export class TermHolders {
  /** By key: those that somebody holds. */
  readonly #terms = new Map<string, PodTerm>();
  readonly #counts = new NodeCounts();

  add(term: PodTerm, node: string): void {
    if (this.#counts.add(term.key, node, 1)) this.#terms.set(term.key, term);
  }

  remove(term: PodTerm, node: string): void {
    if (this.#counts.add(term.key, node, -1)) this.#terms.delete(term.key);
  }

  /** Those that mean this pod, with the nodes of their holders. */
  *selecting(
    pod: LabelledPod,
    namespaceLabels: NamespaceLabels,
  ): Generator<readonly [PodTerm, CountsByNode]> {
    for (const term of this.#terms.values()) {
      if (term.selects(pod, namespaceLabels)) yield [term, this.#counts.of(term.key)];
    }
  }
}
