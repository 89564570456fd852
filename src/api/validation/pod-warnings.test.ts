import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FieldPath } from "./field-path.ts";
import { podWarnings } from "./pod-warnings.ts";
import { judges } from "./testing/case-table.ts";
import { podOf } from "./testing/judged.ts";

describe("Warnings about a pod", () => {
  const container = { name: "c", image: "i" };
  judges(
    {
      "are not given without need": [{}, []],
      "tell of labels that were renamed": [
        { nodeSelector: { "beta.kubernetes.io/os": "linux", constructor: "x" } },
        [
          'spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead',
        ],
      ],
      "tell of volumes that do nothing any more": [
        { volumes: [{ name: "v", gitRepo: { repository: "r" } }] },
        ["spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+"],
      ],
      "tell of variables that hide others, unless they go on from them": [
        {
          containers: [
            {
              ...container,
              env: [
                { name: "A", value: "1" },
                { name: "A", value: "$(A):2" },
                { name: "A", value: "3" },
              ],
            },
          ],
        },
        [
          'spec.containers[0].env[2]: hides previous definition of "A", which may be dropped when using apply',
        ],
      ],
      "tell of ports that are there twice": [
        {
          containers: [
            {
              ...container,
              ports: [
                { name: "a", containerPort: 80 },
                { containerPort: 80 },
                { containerPort: 80, hostPort: 8080 },
                { containerPort: 81, hostIP: "10.0.0.1" },
              ],
            },
            { name: "d", image: "i", ports: [{ name: "a", containerPort: 82 }] },
          ],
        },
        [
          "spec.containers[0].ports[1]: duplicate port definition with spec.containers[0].ports[0]",
          "spec.containers[0].ports[2]: overlapping port definition with spec.containers[0].ports[0]",
          "spec.containers[0].ports[2]: overlapping port definition with spec.containers[0].ports[1]",
          "spec.containers[0].ports[3]: hostIP set without hostPort: {Name: HostPort:0 ContainerPort:81 Protocol:TCP HostIP:10.0.0.1}",
          'spec.containers[1].ports[0]: duplicate port name "a" with spec.containers[0].ports[0], services and probes that select ports by name will use spec.containers[0].ports[0]',
        ],
      ],
      "tell of parts of bytes": [
        { containers: [{ ...container, resources: { limits: { memory: "1500m" } } }] },
        [
          'spec.containers[0].resources.limits[memory]: fractional byte value "1500m" is invalid, must be an integer',
          'spec.containers[0].resources.requests[memory]: fractional byte value "1500m" is invalid, must be an integer',
        ],
      ],
      "tell of selectors that select nothing": [
        {
          topologySpreadConstraints: [
            { maxSkew: 1, topologyKey: "z", whenUnsatisfiable: "ScheduleAnyway" },
          ],
        },
        [
          "spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod",
        ],
      ],
      "tell of names that are there twice": [
        { imagePullSecrets: [{ name: "a" }, { name: "a" }, { name: "" }] },
        [
          'spec.imagePullSecrets[1].name: duplicate name "a"',
          'spec.imagePullSecrets[2].name: invalid empty name ""',
        ],
      ],
      "tell of files in each other's place": [
        {
          volumes: [
            {
              name: "v",
              configMap: {
                name: "m",
                items: [
                  { key: "a", path: "x" },
                  { key: "b", path: "x/y" },
                ],
              },
            },
            {
              name: "p",
              projected: {
                sources: [
                  { secret: { name: "s", items: [{ key: "k", path: "z" }] } },
                  {
                    downwardAPI: {
                      items: [{ path: "z/", fieldRef: { fieldPath: "metadata.uid" } }],
                    },
                  },
                  {},
                ],
              },
            },
          ],
        },
        [
          'volume "v" (ConfigMap "m"): overlapping paths: "x/y" with "x"',
          'volume "p" (Projected): overlapping paths: "z" (DownwardAPI) with "z" (Secret "s")',
          'volume "p" (Projected) has no sources provided',
        ],
      ],
    },
    (spec) => podWarnings(podOf(spec)),
  );

  it("begin with the path of the template that has them", () => {
    const template = podOf(
      {},
      { annotations: { "scheduler.alpha.kubernetes.io/critical-pod": "" } },
    );
    assert.deepEqual(podWarnings(template, FieldPath.of("spec", "template")), [
      'spec.template.metadata.annotations[scheduler.alpha.kubernetes.io/critical-pod]: non-functional in v1.16+; use the "priorityClassName" field instead',
    ]);
  });
});
