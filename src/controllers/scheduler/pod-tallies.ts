// For a question about pods ("is it selected by app=web?"): how many on each node answer with yes. The first time that a question is
// asked all pods are looked at; after that the answer is kept up to date by what comes and goes, as long as somebody asks.

import { type CountsByNode, NodeCounts } from "./node-counts.ts";
import type { PodInfo } from "./pod-info.ts";
import type { NamespaceLabels } from "./pod-terms.ts";

export interface PodQuestion {
  /** The same for two questions only if they have the same answers. */
  readonly key: string;
  /** The answer may change with the labels of namespaces. */
  readonly looksAtNamespaces: boolean;
  readonly asks: (pod: PodInfo, namespaceLabels: NamespaceLabels) => boolean;
}

export interface PodOnNode {
  readonly info: PodInfo;
  readonly node: string;
}

/** Each costs a look at every pod that comes or goes; the one that nobody asked for longest is forgotten. */
const MAX_QUESTIONS = 128;

export class PodTallies {
  readonly #namespaceLabels: NamespaceLabels;
  /** In the order in which they were last asked. */
  readonly #questions = new Map<string, PodQuestion>();
  readonly #counts = new NodeCounts();

  constructor(namespaceLabels: NamespaceLabels) {
    this.#namespaceLabels = namespaceLabels;
  }

  answer(question: PodQuestion, pods: Iterable<PodOnNode>): CountsByNode {
    const { key } = question;
    const isKnown = this.#questions.delete(key);
    this.#questions.set(key, question);
    if (!isKnown) {
      for (const { info, node } of pods) this.#count(question, { info, node }, 1);
      const [oldest] = this.#questions.keys();
      if (this.#questions.size > MAX_QUESTIONS && oldest !== undefined) this.#forget(oldest);
    }
    return this.#counts.of(key);
  }

  add(pod: PodOnNode): void {
    for (const question of this.#questions.values()) this.#count(question, pod, 1);
  }

  remove(pod: PodOnNode): void {
    for (const question of this.#questions.values()) this.#count(question, pod, -1);
  }

  /** To be called before labels of a namespace change: what was counted by the old ones could not be taken back. */
  forgetNamespaces(): void {
    for (const { key, looksAtNamespaces } of this.#questions.values()) {
      if (looksAtNamespaces) this.#forget(key);
    }
  }

  #forget(key: string): void {
    this.#questions.delete(key);
    this.#counts.delete(key);
  }

  #count(question: PodQuestion, { info, node }: PodOnNode, amount: 1 | -1): void {
    if (question.asks(info, this.#namespaceLabels)) this.#counts.add(question.key, node, amount);
  }
}
