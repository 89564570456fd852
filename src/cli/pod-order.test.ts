import { deepEqual, equal, throws } from "node:assert/strict";
import { describe, it } from "node:test";
import type { Pod } from "../api/types.ts";
import { readCommandStatus } from "./command-status.ts";
import { chooseContainer } from "./container-choice.ts";
import { byActivity, byLogging } from "./pod-order.ts";
import { selectorOf } from "./pod-target.ts";

interface Parts {
  readonly node?: string;
  readonly phase?: string;
  readonly readySince?: string;
  readonly restarts?: number;
  readonly isGoing?: boolean;
}

function pod(name: string, { node = "n", phase = "Running", ...parts }: Parts): Pod {
  const ready = parts.readySince;
  return {
    metadata: {
      name,
      ...(parts.isGoing === true && { deletionTimestamp: "2026-01-01T00:00:00Z" }),
    },
    spec: { nodeName: node, containers: [{ name: "main", resources: {} }] },
    status: {
      phase,
      conditions:
        ready === undefined ? [] : [{ type: "Ready", status: "True", lastTransitionTime: ready }],
      containerStatuses: [
        {
          name: "main",
          restartCount: parts.restarts ?? 0,
          ready: true,
          image: "",
          imageID: "",
          state: {},
          lastState: {},
        },
      ],
    },
  };
}

describe("Of several pods", () => {
  const pods = [
    pod("unplaced", { node: "", phase: "Pending" }),
    pod("pending", { phase: "Pending" }),
    pod("restarted", { restarts: 3 }),
    pod("new", { readySince: "2026-01-02T00:00:00Z" }),
    pod("old", { readySince: "2026-01-01T00:00:00Z", isGoing: true }),
    pod("quiet", {}),
  ];

  it("the one that has been ready for longest has most to say", () => {
    const names = byLogging(pods).map(({ metadata }) => metadata.name);
    deepEqual(names, ["old", "new", "restarted", "quiet", "pending", "unplaced"]);
  });

  it("one that is not on its way out is entered", () => {
    equal(byActivity(pods)[0]?.metadata.name, "new");
  });
});

describe("The container", () => {
  const two: Pod = {
    metadata: { name: "web" },
    spec: {
      containers: [{ name: "main" }, { name: "side" }],
      initContainers: [{ name: "init" }],
    },
  } as Pod;

  it("is the first, which is said if there are others", () => {
    deepEqual(chooseContainer(two, undefined), {
      container: "main",
      note: 'Defaulted container "main" out of: main, side, init (init)',
    });
    deepEqual(chooseContainer(pod("one", {}), undefined), { container: "main" });
  });

  it("is the one that was named, or that the pod's annotation names", () => {
    deepEqual(chooseContainer(two, "init"), { container: "init" });
    const annotations = { "kubectl.kubernetes.io/default-container": "side" };
    const annotated = { ...two, metadata: { ...two.metadata, annotations } };
    deepEqual(chooseContainer(annotated, undefined), { container: "side" });
  });

  it("is refused if the pod has none of that name", () => {
    throws(
      () => chooseContainer(two, "x"),
      /container x is not valid for pod web out of: main, side, init \(init\)/,
    );
  });
});

describe("The selector of pods", () => {
  it("has labels and expressions, as a query writes them", () => {
    const matchExpressions = [
      { key: "b", operator: "In", values: ["1", "2"] },
      { key: "c", operator: "NotIn", values: ["3"] },
      { key: "d", operator: "Exists" },
      { key: "e", operator: "DoesNotExist" },
    ];
    const spec = { selector: { matchLabels: { a: "1" }, matchExpressions } };
    equal(selectorOf({ metadata: {}, spec }), "a=1,b in (1,2),c notin (3),d,!e");
  });

  it("may be nothing but labels, as Services have it, or missing", () => {
    equal(selectorOf({ metadata: {}, spec: { selector: { app: "web" } } }), "app=web");
    equal(selectorOf({ metadata: {}, spec: {} }), undefined);
    equal(selectorOf({ metadata: {} }), undefined);
  });
});

describe("The end of a command", () => {
  const failure = (reason: string, message: string): string =>
    JSON.stringify({
      status: "Failure",
      message: "it failed",
      details: { causes: [{ reason, message }] },
    });

  it("is its exit code", () => {
    deepEqual(readCommandStatus('{"status":"Success"}'), { exitCode: 0 });
    deepEqual(readCommandStatus(failure("ExitCode", "7")), {
      exitCode: 7,
      message: "command terminated with exit code 7",
    });
  });

  it("is a failure of the server, or of the connection", () => {
    deepEqual(readCommandStatus(failure("", "x")), { exitCode: 1, message: "error: it failed" });
    equal(readCommandStatus("").exitCode, 1);
    equal(readCommandStatus('{"status":').exitCode, 1);
  });
});
