import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { decodeObject } from "../decode.ts";
import { DecodeError } from "../decode-error.ts";
import { setPodDefaults } from "../defaults/pod.ts";
import { setSecretDefaults } from "../defaults/secret.ts";
import { applyTableDefaults } from "../defaults/table-defaults.ts";
import { restoreTableOrder } from "../defaults/table-order.ts";
import type { JsonObject } from "../json.ts";
import type { ConfigMap, Event, Namespace, Node, Pod, Secret, ServiceAccount } from "../types.ts";
import { validateConfigMap, validateConfigMapUpdate } from "./config-map.ts";
import { validateEvent, validateStrictEvent, validateStrictEventUpdate } from "./event.ts";
import { validateNamespace, validateNamespaceStatusUpdate } from "./namespace.ts";
import { validateNode, validateNodeUpdate } from "./node.ts";
import { validatePod } from "./pod.ts";
import { validatePodStatusUpdate } from "./pod-status.ts";
import { validateEphemeralContainersUpdate, validatePodUpdate } from "./pod-update.ts";
import { podWarnings } from "./pod-warnings.ts";
import { validateSecret, validateSecretUpdate } from "./secret.ts";
import { validateServiceAccount } from "./service-account.ts";
import { arbitraryWith } from "./testing/arbitrary-object.ts";
import { tableOf } from "./testing/judged.ts";

interface Subject {
  readonly kind: string;
  readonly setDefaults?: (object: JsonObject) => void;
  readonly judge: (object: JsonObject, old: JsonObject) => void;
}

/** Where the most is to be judged. */
const crowded: Readonly<Record<string, readonly string[]>> = {
  Pod: [
    "metadata",
    "spec.containers",
    "spec.initContainers",
    "spec.ephemeralContainers",
    "spec.volumes",
    "spec.affinity.nodeAffinity",
    "spec.affinity.podAffinity",
    "spec.topologySpreadConstraints",
    "status.containerStatuses",
  ],
  Node: ["metadata", "spec.taints", "spec.podCIDRs", "status.capacity"],
};

/** Everything that judges an object of the kind, alone and against another one. */
function subject<T>(
  kind: string,
  judge: (object: T, old: T) => void,
  setDefaults?: (object: T) => void,
): Subject {
  return { kind, judge, setDefaults } as unknown as Subject;
}

const subjects: readonly Subject[] = [
  subject<ConfigMap>("ConfigMap", (object, old) => {
    validateConfigMap(object);
    validateConfigMapUpdate(object, old);
  }),
  subject<Secret>(
    "Secret",
    (object, old) => {
      validateSecret(object);
      validateSecretUpdate(object, old);
    },
    setSecretDefaults,
  ),
  subject<Namespace>("Namespace", (object, old) => {
    validateNamespace(object);
    validateNamespaceStatusUpdate(object, old);
  }),
  subject<ServiceAccount>("ServiceAccount", (object) => {
    validateServiceAccount(object);
  }),
  subject<Event>("Event", (object, old) => {
    validateEvent(object);
    validateStrictEvent(object);
    validateStrictEventUpdate(object, old);
  }),
  subject<Node>("Node", (object, old) => {
    validateNode(object);
    validateNodeUpdate(object, old);
  }),
  subject<Pod>(
    "Pod",
    (object, old) => {
      validatePod(object);
      validatePodUpdate(object, old);
      validatePodStatusUpdate(object, old);
      validateEphemeralContainersUpdate(object, old);
      podWarnings(object);
    },
    setPodDefaults,
  ),
];

/** Nothing if the decoder refuses it: then nobody else sees it either. */
function decodedOrNothing(kind: string, value: JsonObject): JsonObject | undefined {
  try {
    return decodeObject(tableOf("v1", kind), value).object;
  } catch (err) {
    if (err instanceof DecodeError) return undefined;
    throw err;
  }
}

for (const { kind, judge, setDefaults } of subjects) {
  const table = tableOf("v1", kind);
  const shapes = arbitraryWith(table, crowded[kind] ?? ["metadata"]);
  const fill = (object: JsonObject): void => {
    setDefaults?.(object);
    applyTableDefaults(table, object);
    restoreTableOrder(table, object);
  };

  describe(`${kind} of any shape`, () => {
    it("is judged without an exception, also without defaults and against any other", () => {
      fc.assert(
        fc.property(shapes, shapes, (one, other) => {
          const [object, old] = [decodedOrNothing(kind, one), decodedOrNothing(kind, other)];
          fc.pre(object !== undefined && old !== undefined);
          judge(object, old);
          fill(object);
          judge(object, old);
          judge(object, object);
        }),
        { numRuns: 200 },
      );
    });

    it("has the same defaults when they are filled in again", () => {
      fc.assert(
        fc.property(shapes, (value) => {
          const object = decodedOrNothing(kind, value);
          fc.pre(object !== undefined);
          fill(object);
          const once = JSON.stringify(object);
          fill(object);
          assert.equal(JSON.stringify(object), once);
        }),
        { numRuns: 200 },
      );
    });

    it("is in the form of a decoded object after its defaults", () => {
      fc.assert(
        fc.property(shapes, (value) => {
          const object = decodedOrNothing(kind, value);
          fc.pre(object !== undefined);
          fill(object);
          assert.equal(JSON.stringify(decodeObject(table, object).object), JSON.stringify(object));
        }),
        { numRuns: 200 },
      );
    });
  });
}
