// What one look at all that is in a namespace has found: the material of its conditions, and of the decision whether it may go.

import { describe } from "../../base/errors.ts";
import type { Discovered } from "../../client/discovery.ts";
import type { DeletionReport } from "./namespace-conditions.ts";
import { NOTHING, type Remainder, UnexpectedItemsError } from "./namespace-content.ts";

/** What one round has found so far. */
export class DeletionRound implements DeletionReport {
  discoveryFailure: string | undefined;
  parsingFailure: string | undefined;
  readonly contentFailures: string[] = [];
  readonly remaining: Map<string, number> = new Map();
  readonly finalizers: Map<string, number> = new Map();
  readonly failures: unknown[] = [];
  estimateSeconds = 0;

  /** What is not known to be empty may not be let go of. */
  judge({ resources, failures, misnamed }: Discovered): void {
    if (failures.size > 0) {
      const each = Array.from(failures, ([name, why]) => `${name}: ${why}`).sort();
      const all = `unable to retrieve the complete list of server APIs: ${each.join(", ")}`;
      this.discoveryFailure = `Discovery failed for some groups, ${failures.size} failing: ${all}`;
      this.failures.push(new Error(all));
    }
    if (misnamed.length > 0) {
      this.parsingFailure = `unexpected GroupVersion string: ${misnamed[0]}`;
      this.failures.push(new Error(this.parsingFailure));
    }
    if (!resources.some(({ resource, group }) => resource === "namespaces" && group === "")) {
      this.discoveryFailure ??= "the server does not serve namespaces";
      this.failures.push(new Error(this.discoveryFailure));
    }
  }

  async take(name: string, work: () => Promise<Remainder>): Promise<void> {
    let left: Remainder = NOTHING;
    try {
      left = await work();
    } catch (err) {
      this.failures.push(err);
      this.contentFailures.push(describe(err));
      if (err instanceof UnexpectedItemsError) left = { ...NOTHING, count: err.count };
    }
    this.estimateSeconds = Math.max(this.estimateSeconds, left.estimateSeconds);
    if (left.count > 0) this.remaining.set(name, left.count);
    for (const [finalizer, count] of left.finalizers) {
      this.finalizers.set(finalizer, (this.finalizers.get(finalizer) ?? 0) + count);
    }
  }
}
