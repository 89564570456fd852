import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../api/json.ts";
import type { Pod } from "../../api/types.ts";
import { LimitRanger } from "./limit-ranger.ts";
import { podResources } from "./pod-resources.ts";
import {
  cacheOf,
  objectOf,
  type RequestOptions,
  refusalOf,
  requestFor,
} from "./testing/requests.ts";

function rangerWith(...limits: readonly JsonObject[]): LimitRanger {
  const ranges = limits.map((limit, i) => ({
    metadata: { name: `l${i}` },
    spec: { limits: [limit] },
  }));
  return new LimitRanger({ limitRanges: cacheOf("v1 LimitRange", ...ranges) });
}

const container = (
  name: string,
  resources: JsonObject = {},
  others: JsonObject = {},
): JsonObject => ({
  name,
  image: "i",
  resources,
  ...others,
});

function podWith(...containers: readonly JsonObject[]): JsonObject {
  return { metadata: { name: "p" }, spec: { containers: [...containers] } };
}

describe("LimitRanger gives", () => {
  const ranger = rangerWith({
    type: "Container",
    default: { cpu: "1", memory: "1Gi" },
    defaultRequest: { cpu: "500m", memory: "1Gi" },
  });
  const object = {
    metadata: { name: "p" },
    spec: {
      containers: [
        container("a"),
        container("b", { limits: { cpu: "2" }, requests: { cpu: "2" } }),
      ],
      initContainers: [
        container("i", {
          limits: { cpu: "2", memory: "1" },
          requests: { cpu: "2", memory: "1" },
        }),
      ],
    },
  };

  it("containers the defaults that they lack, and says so", () => {
    const request = requestFor("v1 Pod", { object });
    assert.equal(refusalOf(ranger, request), "");
    const { metadata, spec } = request.object as unknown as Pod;
    assert.deepEqual(
      spec.containers?.map(({ resources }) => resources),
      [
        { requests: { cpu: "500m", memory: "1Gi" }, limits: { cpu: "1", memory: "1Gi" } },
        { limits: { cpu: "2", memory: "1Gi" }, requests: { cpu: "2", memory: "1Gi" } },
      ],
    );
    assert.deepEqual(metadata.annotations, {
      "kubernetes.io/limit-ranger":
        "LimitRanger plugin set: cpu, memory request for container a; cpu, memory limit for container a; memory request for container b; memory limit for container b",
    });
  });

  it("nothing a second time", () => {
    const request = requestFor("v1 Pod", { object });
    ranger.mutate(request);
    const once = structuredClone(request.object);
    ranger.mutate(request);
    assert.deepEqual(request.object, once);
  });

  it("nothing to a pod that says all itself, and nothing in an update", () => {
    const full = { limits: { cpu: "1", memory: "1" }, requests: { cpu: "1", memory: "1" } };
    for (const options of [
      { object: podWith(container("a", full)) },
      { object, old: object, operation: "UPDATE" },
    ] satisfies RequestOptions[]) {
      const request = requestFor("v1 Pod", options);
      const before = structuredClone(request.object);
      ranger.mutate(request);
      assert.deepEqual(request.object, before);
    }
  });
});

const ask = (requests: JsonObject, limits: JsonObject = {}): JsonObject => ({ requests, limits });

const cases: readonly (readonly [string, JsonObject, JsonObject, string])[] = [
  [
    "a container without a request where there is a minimum",
    { type: "Container", min: { memory: "10Mi" } },
    podWith(container("a")),
    "minimum memory usage per Container is 10Mi.  No request is specified",
  ],
  [
    "a container that asks for too little",
    { type: "Container", min: { cpu: "100m" } },
    podWith(container("a", ask({ cpu: "50m" }))),
    "minimum cpu usage per Container is 100m, but request is 50m",
  ],
  [
    "a container without a limit where there is a maximum",
    { type: "Container", max: { cpu: "1" } },
    podWith(container("a", ask({ cpu: "1" }))),
    "maximum cpu usage per Container is 1.  No limit is specified",
  ],
  [
    "a container with too high a limit",
    { type: "Container", max: { memory: "1Gi" } },
    podWith(container("a", ask({ memory: "1Gi" }, { memory: "2Gi" }))),
    "maximum memory usage per Container is 1Gi, but limit is 2Gi",
  ],
  [
    "all containers, each with what is wrong",
    { type: "Container", max: { cpu: "1" }, min: { cpu: "100m" } },
    podWith(
      container("a", ask({}, { cpu: "2" })),
      container("b", ask({ cpu: "10m" }, { cpu: "1" })),
    ),
    "[maximum cpu usage per Container is 1, but limit is 2, minimum cpu usage per Container is 100m, but request is 10m]",
  ],
  [
    "a container that says nothing where limit and request must be near",
    { type: "Container", maxLimitRequestRatio: { cpu: "2" } },
    podWith(container("a")),
    "cpu max limit to request ratio per Container is 2, but no request is specified or request is 0",
  ],
  [
    "a container with too little a request for its limit",
    { type: "Container", maxLimitRequestRatio: { cpu: "1500m" } },
    podWith(container("a", ask({ cpu: "300m" }, { cpu: "1" }))),
    "cpu max limit to request ratio per Container is 1500m, but provided ratio is 3.333333",
  ],
  [
    "a pod whose containers are too much together",
    { type: "Pod", max: { memory: "3Mi" } },
    podWith(
      container("a", ask({ memory: "2Mi" }, { memory: "2Mi" })),
      container("b", ask({ memory: "2Mi" }, { memory: "2Mi" })),
    ),
    "maximum memory usage per Pod is 3Mi, but limit is 4Mi",
  ],
  [
    "amounts whose thousandths are beyond 64 bits",
    { type: "Container", max: { memory: "10P" } },
    podWith(container("a", ask({ memory: "11P" }, { memory: "11P" }))),
    "maximum memory usage per Container is 10P, but limit is 11P",
  ],
  [
    "nothing that is within the bounds",
    { type: "Pod", max: { cpu: "1" }, min: { cpu: "1" }, maxLimitRequestRatio: { cpu: "1" } },
    podWith(container("a", ask({ cpu: "1" }, { cpu: "1" }))),
    "",
  ],
];

describe("LimitRanger refuses", () => {
  for (const [name, limit, object, why] of cases) {
    it(name, () => {
      // Without defaults: what the range says is held against what the pod says.
      const refusal = refusalOf(rangerWith(limit), requestFor("v1 Pod", { object }), ["judge"]);
      assert.equal(refusal, why === "" ? "" : `pods "p" is forbidden: ${why}`);
    });
  }

  const claim = { metadata: { name: "c" }, spec: { resources: { requests: { storage: "5Gi" } } } };
  for (const [bound, why] of [
    [
      { max: { storage: "1Gi" } },
      "maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 5Gi",
    ],
    [
      { min: { storage: "9Gi" } },
      "minimum storage usage per PersistentVolumeClaim is 9Gi, but request is 5Gi",
    ],
  ] as const) {
    it(`a claim beyond its ${Object.keys(bound).join()}`, () => {
      const ranger = rangerWith({ type: "PersistentVolumeClaim", ...bound });
      for (const operation of ["CREATE", "UPDATE"] as const) {
        const request = requestFor("v1 PersistentVolumeClaim", {
          operation,
          object: claim,
          old: claim,
        });
        assert.equal(refusalOf(ranger, request), `persistentvolumeclaims "c" is forbidden: ${why}`);
      }
    });
  }

  it("no claim on its way out", () => {
    const ranger = rangerWith({ type: "PersistentVolumeClaim", max: { storage: "1Gi" } });
    const old = { ...claim, metadata: { name: "c", deletionTimestamp: "2026-01-01T00:00:00Z" } };
    const request = requestFor("v1 PersistentVolumeClaim", {
      operation: "UPDATE",
      object: claim,
      old,
    });
    assert.equal(refusalOf(ranger, request), "");
  });

  it("a pod that is resized beyond the bounds, and no other change of it", () => {
    const ranger = rangerWith({ type: "Container", max: { cpu: "1" } });
    const object = podWith(container("a", ask({ cpu: "2" }, { cpu: "2" })));
    const update = { operation: "UPDATE", object, old: object } as const;
    assert.equal(refusalOf(ranger, requestFor("v1 Pod", update)), "");
    const resize = requestFor("v1 Pod", { ...update, subresource: "resize" });
    assert.match(refusalOf(ranger, resize), /but limit is 2$/);
  });
});

describe("podResources", () => {
  it("is what runs at the same time, at its peak", () => {
    const { spec } = objectOf("v1 Pod", {
      spec: {
        containers: [
          container("a", ask({ cpu: "1", memory: "1Mi" })),
          container("b", ask({ cpu: "1" })),
        ],
        initContainers: [
          container("first", ask({ cpu: "500m", memory: "8Mi" })),
          container("sidecar", ask({ cpu: "1" }), { restartPolicy: "Always" }),
          container("last", ask({ cpu: "4" })),
        ],
      },
    }) as unknown as Pod;
    assert.deepEqual(podResources(spec).requests, { cpu: "5", memory: "8Mi" });
  });

  it("is what the pod says of itself where it does", () => {
    const { spec } = objectOf("v1 Pod", {
      spec: {
        containers: [container("a", ask({ cpu: "1", storage: "1" }))],
        resources: { requests: { cpu: "3" } },
      },
    }) as unknown as Pod;
    assert.deepEqual(podResources(spec).requests, { cpu: "3", storage: "1" });
  });
});
