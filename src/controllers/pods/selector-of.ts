// The selector of a workload. One that cannot be understood selects nothing, and is told of by nobody but the server that took it.

import {
  type LabelSelector,
  type LabelSelectorJson,
  labelSelectorOf,
} from "../../api/selectors/label-selector.ts";
import { SelectorError } from "../../api/selectors/selector-error.ts";

/** Undefined if it cannot be understood. */
export function selectorOf(owner: {
  readonly spec: { readonly selector?: LabelSelectorJson | null | undefined };
}): LabelSelector | undefined {
  try {
    return labelSelectorOf(owner.spec.selector);
  } catch (err) {
    if (err instanceof SelectorError) return undefined;
    throw err;
  }
}
