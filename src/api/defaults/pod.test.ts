import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../json.ts";
import type { PodTemplateSpec } from "../types.ts";
import { decoded, podOf, tableOf } from "../validation/testing/judged.ts";
import { setPodDefaults } from "./pod.ts";
import { setPodLevelResources } from "./pod-level-resources.ts";
import { qosClassOf } from "./pod-qos.ts";
import { setPodSpecDefaults } from "./pod-spec.ts";
import { applyTableDefaults } from "./table-defaults.ts";
import { restoreTableOrder } from "./table-order.ts";

const container = {
  resources: {},
  terminationMessagePath: "/dev/termination-log",
  terminationMessagePolicy: "File",
};

describe("Defaults of a pod", () => {
  it("are those of the API, in its order", () => {
    const pod = podOf() as unknown as JsonObject;
    restoreTableOrder(tableOf("v1", "Pod"), pod);
    assert.equal(
      JSON.stringify(pod["spec"]),
      JSON.stringify({
        containers: [{ name: "c", image: "nginx", ...container, imagePullPolicy: "Always" }],
        restartPolicy: "Always",
        terminationGracePeriodSeconds: 30,
        dnsPolicy: "ClusterFirst",
        securityContext: {},
        schedulerName: "default-scheduler",
        enableServiceLinks: true,
      }),
    );
  });

  it("ask for as much as there is a limit for", () => {
    const resources = { limits: { cpu: "1", memory: "1Gi" }, requests: { memory: "1Mi" } };
    const { spec } = podOf({ containers: [{ name: "c", image: "i", resources }] });
    assert.deepEqual(spec.containers?.[0]?.resources.requests, { cpu: "1", memory: "1Mi" });
  });

  it("give ports of the host to pods on its network", () => {
    const ports = [{ containerPort: 80 }, { containerPort: 81, hostPort: 8081 }];
    const { spec } = podOf({
      hostNetwork: true,
      containers: [{ name: "c", image: "i", ports }],
    });
    assert.deepEqual(
      spec.containers?.[0]?.ports?.map(({ hostPort }) => hostPort),
      [80, 8081],
    );
  });

  it("say the same under both names of the account", () => {
    assert.equal(podOf({ serviceAccount: "a" }).spec.serviceAccountName, "a");
    assert.equal(podOf({ serviceAccountName: "b", serviceAccount: "a" }).spec.serviceAccount, "b");
  });

  it("turn negative times into the shortest one", () => {
    assert.equal(
      podOf({ terminationGracePeriodSeconds: -5 }).spec.terminationGracePeriodSeconds,
      1,
    );
  });

  it("round amounts up to thousandths", () => {
    const resources = { limits: { cpu: "100001u" } };
    const { spec } = podOf({ containers: [{ name: "c", image: "i", resources }] });
    assert.deepEqual(spec.containers?.[0]?.resources.limits, { cpu: "101m" });
  });

  it("agree about the addresses of a pod, and the old field wins", () => {
    const addresses = (status: JsonObject) => {
      const pod = podOf();
      Object.assign(pod.status, status);
      setPodDefaults(pod);
      return [pod.status.podIP, pod.status.podIPs?.map(({ ip }) => ip)];
    };
    assert.deepEqual(addresses({ podIP: "1.1.1.1" }), ["1.1.1.1", ["1.1.1.1"]]);
    assert.deepEqual(addresses({ podIPs: [{ ip: "1.1.1.1" }, { ip: "::1" }] }), [
      "1.1.1.1",
      ["1.1.1.1", "::1"],
    ]);
    assert.deepEqual(addresses({ podIP: "2.2.2.2", podIPs: [{ ip: "1.1.1.1" }] }), [
      "2.2.2.2",
      ["2.2.2.2"],
    ]);
  });
});

describe("Defaults of a template", () => {
  it("are those of the API, and fewer than those of a pod", () => {
    const deployment = decoded<{ spec: { template: PodTemplateSpec } }>("apps/v1", "Deployment", {
      spec: {
        template: {
          spec: {
            containers: [
              {
                name: "c",
                image: "nginx:latest",
                ports: [{ containerPort: 80 }],
                livenessProbe: { httpGet: { port: 80 } },
                env: [{ name: "N", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
                volumeMounts: [{ name: "v", mountPath: "/v" }],
              },
            ],
            volumes: [
              { name: "v", configMap: { name: "p" } },
              { name: "s", secret: { secretName: "sec" } },
              { name: "pr", projected: { sources: [{ configMap: { name: "p" } }] } },
              { name: "e", emptyDir: {} },
            ],
          },
        },
      },
    });
    const { template } = deployment.spec;
    setPodSpecDefaults(template.spec);
    applyTableDefaults(tableOf("apps/v1", "Deployment"), deployment);
    restoreTableOrder(tableOf("apps/v1", "Deployment"), deployment);
    assert.equal(
      JSON.stringify(deployment.spec.template.spec),
      '{"volumes":[{"name":"v","configMap":{"name":"p","defaultMode":420}},{"name":"s","secret":{"secretName":"sec","defaultMode":420}},{"name":"pr","projected":{"sources":[{"configMap":{"name":"p"}}],"defaultMode":420}},{"name":"e","emptyDir":{}}],"containers":[{"name":"c","image":"nginx:latest","ports":[{"containerPort":80,"protocol":"TCP"}],"env":[{"name":"N","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"metadata.name"}}}],"resources":{},"volumeMounts":[{"name":"v","mountPath":"/v"}],"livenessProbe":{"httpGet":{"path":"/","port":80,"scheme":"HTTP"},"timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,"failureThreshold":3},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"Always"}],"restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","securityContext":{},"schedulerName":"default-scheduler"}',
    );
  });

  it("fill in volumes of all kinds", () => {
    const { spec } = podOf({
      volumes: [
        { name: "none" },
        { name: "h", hostPath: { path: "/" } },
        { name: "i", image: { reference: "a:1" } },
        { name: "t", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } },
        { name: "r", rbd: { monitors: ["m"], image: "i" } },
      ],
    });
    assert.deepEqual(spec.volumes, [
      { name: "none", emptyDir: {} },
      { name: "h", hostPath: { path: "/", type: "" } },
      { name: "i", image: { reference: "a:1", pullPolicy: "IfNotPresent" } },
      {
        name: "t",
        projected: {
          sources: [{ serviceAccountToken: { path: "t", expirationSeconds: 3600 } }],
          defaultMode: 420,
        },
      },
      {
        name: "r",
        rbd: {
          monitors: ["m"],
          image: "i",
          pool: "rbd",
          user: "admin",
          keyring: "/etc/ceph/keyring",
        },
      },
    ]);
  });
});

describe("Class of service", () => {
  const both = { cpu: "1", memory: "1Gi" };
  const of = (...resources: JsonObject[]) =>
    qosClassOf(
      podOf({
        containers: resources.map((amounts, i) => ({
          name: `c${i}`,
          image: "i",
          resources: amounts,
        })),
      }).spec,
    );

  it("is best effort for pods that ask for nothing", () => {
    assert.equal(of({}), "BestEffort");
    assert.equal(of({ requests: { cpu: "0" } }), "BestEffort");
  });

  it("is guaranteed if every container asks for exactly its limits of both", () => {
    assert.equal(of({ limits: both }), "Guaranteed");
    assert.equal(of({ limits: both }, { limits: both, requests: both }), "Guaranteed");
  });

  it("is burstable otherwise", () => {
    assert.equal(of({ requests: { cpu: "1" } }), "Burstable");
    assert.equal(of({ limits: { cpu: "1" } }), "Burstable");
    assert.equal(of({ limits: both, requests: { ...both, cpu: "500m" } }), "Burstable");
    assert.equal(of({ limits: both }, {}), "Burstable");
  });

  it("follows the pod's own amounts if it has any", () => {
    assert.equal(
      qosClassOf(podOf({ resources: { limits: both, requests: both } }).spec),
      "Guaranteed",
    );
  });
});

describe("Resources of a pod as a whole", () => {
  it("follow from those of its containers once there are any", () => {
    const { spec } = podOf({
      containers: [
        {
          name: "c",
          image: "i",
          resources: { requests: { cpu: "1", memory: "1Gi" }, limits: { cpu: "2" } },
        },
      ],
      resources: { limits: { memory: "2Gi" } },
    });
    setPodLevelResources(spec);
    assert.deepEqual(spec.resources, {
      limits: { memory: "2Gi", cpu: "2" },
      requests: { cpu: "1", memory: "1Gi" },
    });
  });

  it("stay absent if there are none", () => {
    const { spec } = podOf({
      containers: [{ name: "c", image: "i", resources: { limits: { cpu: "1" } } }],
    });
    setPodLevelResources(spec);
    assert.equal(spec.resources, undefined);
  });
});
