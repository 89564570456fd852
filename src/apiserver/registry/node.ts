// Nodes. A new one takes no pods until it has said that it is ready.

import { roundQuantities } from "../../api/defaults/pod-spec.ts";
import { restoreTableOrder } from "../../api/defaults/table-order.ts";
import type { Node } from "../../api/types.ts";
import { FieldPath } from "../../api/validation/field-path.ts";
import { cidrWarnings } from "../../api/validation/ip-warnings.ts";
import { validateNode, validateNodeChange, validateNodeUpdate } from "../../api/validation/node.ts";
import { servedKind } from "./served-kind.ts";
import { type Strategy, strategyOf } from "./strategy.ts";

const kind = servedKind("v1", "Node");
const notReady = "node.kubernetes.io/not-ready";

export const nodeStrategy: Strategy = strategyOf<Node>({
  kind,
  fieldLabels: {
    "spec.unschedulable": ({ spec }) => String(spec.unschedulable === true),
  },

  applyDefaults(node): void {
    const { spec, status } = node;
    setCidrs(spec);
    if (status.allocatable === undefined && status.capacity !== undefined) {
      status.allocatable = { ...status.capacity };
    }
    roundQuantities(status.capacity);
    roundQuantities(status.allocatable);
    restoreTableOrder(kind.schema, node);
  },

  prepareForCreate(node): void {
    const { spec, status } = node;
    delete spec.configSource;
    delete spec.podPreemptionPolicy;
    delete status.config;
    const taints = spec.taints ?? [];
    const isTainted = taints.some(({ key, effect }) => key === notReady && effect === "NoSchedule");
    if (!isTainted) spec.taints = [...taints, { key: notReady, effect: "NoSchedule" }];
    restoreTableOrder(kind.schema, node);
  },

  prepareForUpdate(node, old): void {
    node.status = old.status;
    if (old.spec.configSource === undefined) delete node.spec.configSource;
    if (old.spec.podPreemptionPolicy === undefined) delete node.spec.podPreemptionPolicy;
  },

  prepareForStatusUpdate(node, old): void {
    node.spec = old.spec;
    if (old.status.config === undefined) delete node.status.config;
  },

  validate: validateNode,
  validateUpdate: validateNodeUpdate,
  validateStatusUpdate: validateNodeChange,

  warnings({ spec }): readonly string[] {
    const { configSource, externalID = "", podCIDRs = [] } = spec;
    const path = FieldPath.of("spec", "podCIDRs");
    return [
      ...(configSource === undefined ? [] : ["spec.configSource: the feature is removed"]),
      ...(externalID === ""
        ? []
        : ["spec.externalID: this field is deprecated, and is unused by Kubernetes"]),
      ...podCIDRs.flatMap((cidr, i) => cidrWarnings(path.index(i), cidr)),
    ];
  },
});

/** The one range and the list of ranges say the same; the one range wins. */
function setCidrs(spec: Node["spec"]): void {
  const first = spec.podCIDRs?.[0] ?? "";
  if ((spec.podCIDR ?? "") === "") {
    if (first !== "") spec.podCIDR = first;
  } else if (first !== spec.podCIDR) {
    spec.podCIDRs = [spec.podCIDR ?? ""];
  }
}
