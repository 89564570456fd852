import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FieldPath } from "./field-path.ts";
import { validateBinding } from "./pod.ts";
import { validatePodTemplateSpec } from "./pod-template.ts";
import { judges } from "./testing/case-table.ts";
import { podErrors, podOf, told } from "./testing/judged.ts";

describe("Pod", () => {
  const subdomain =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
  judges(
    {
      "may be a container": [{}, []],
      "has policies of known kinds": [
        { restartPolicy: "Sometimes", dnsPolicy: "Guess", preemptionPolicy: "" },
        [
          'spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"',
          'spec.dnsPolicy: Unsupported value: "Guess": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"',
          "spec.preemptionPolicy: Required value",
        ],
      ],
      "has names that there can be": [
        { serviceAccountName: "A", nodeName: "B", priorityClassName: "C", runtimeClassName: "" },
        [
          `spec.serviceAccountName: Invalid value: "A": ${subdomain}`,
          `spec.nodeName: Invalid value: "B": ${subdomain}`,
          `spec.priorityClassName: Invalid value: "C": ${subdomain}`,
          `spec.runtimeClassName: Invalid value: "": ${subdomain}`,
        ],
      ],
      "is called by labels": [
        { hostname: "a.b", subdomain: "a.b" },
        [
          'spec.hostname: Invalid value: "a.b": must not contain dots',
          'spec.subdomain: Invalid value: "a.b": must not contain dots',
        ],
      ],
      "may be called otherwise, unless it is called like the host": [
        { hostNetwork: true, setHostnameAsFQDN: true, hostnameOverride: "a".repeat(65) },
        [
          "spec.hostnameOverride: Forbidden: may not be specified when setHostnameAsFQDN is true",
          "spec.hostnameOverride: Forbidden: may not be specified when hostNetwork is true",
          "spec.hostnameOverride: Too long: may not be more than 64 bytes",
        ],
      ],
      "has a deadline after now": [
        { activeDeadlineSeconds: 0 },
        [
          "spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive",
        ],
      ],
      "on the host's network has its ports": [
        {
          hostNetwork: true,
          containers: [{ name: "c", image: "i", ports: [{ containerPort: 80, hostPort: 81 }] }],
        },
        [
          "spec.containers[0].ports[0].hostPort: Invalid value: 81: must match `containerPort` when `hostNetwork` is true",
        ],
      ],
      "that asks nobody for names says whom to ask": [
        { dnsPolicy: "None" },
        ["spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None"],
      ],
      "asks servers that there can be": [
        {
          dnsPolicy: "None",
          dnsConfig: { searches: [".", "a.b.", "A"], options: [{}] },
        },
        [
          "spec.dnsConfig.nameservers: Required value: must provide at least one DNS nameserver when `dnsPolicy` is None",
        ],
      ],
      "asks few servers": [
        {
          dnsConfig: {
            nameservers: ["1.1.1.1", "2.2.2.2", "3.3.3.3", "x"],
            searches: [".", "a.b.", "A"],
            options: [{}],
          },
        },
        [
          'spec.dnsConfig.nameservers: Invalid value: ["1.1.1.1","2.2.2.2","3.3.3.3","x"]: must not have more than 3 nameservers',
          'spec.dnsConfig.nameservers[3]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
          "spec.dnsConfig.searches[2]: Invalid value: \"A\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')",
          "spec.dnsConfig.options[0]: Required value: must not be empty",
        ],
      ],
      "knows hosts by address": [
        { hostAliases: [{ ip: "x", hostnames: ["A"] }] },
        [
          'spec.hostAliases[0].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
          `spec.hostAliases[0].hostnames[0]: Invalid value: "A": ${subdomain}`,
        ],
      ],
      "waits at gates, each once, and is not scheduled meanwhile": [
        { nodeName: "n", schedulingGates: [{ name: "a" }, { name: "a" }] },
        [
          'spec.schedulingGates[1]: Duplicate value: "a"',
          "spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared",
        ],
      ],
      "is ready by conditions with names": [
        { readinessGates: [{ conditionType: "" }] },
        [
          'spec.readinessGates[0].conditionType: Invalid value: "": name part must be non-empty',
          "spec.readinessGates[0].conditionType: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
        ],
      ],
      "with users of its own shares little with the host": [
        { hostUsers: false, hostNetwork: true, hostPID: true, hostIPC: true },
        [
          "spec.hostNetwork: Forbidden: when `hostUsers` is false",
          "spec.HostPID: Forbidden: when `hostUsers` is false",
          "spec.HostIPC: Forbidden: when `hostUsers` is false",
        ],
      ],
      "shares processes within itself or with the host": [
        { shareProcessNamespace: true, hostPID: true },
        [
          "spec.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled",
        ],
      ],
      "is on nodes with labels that there can be": [
        { nodeSelector: { a: "?" } },
        [
          "spec.nodeSelector: Invalid value: \"?\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
        ],
      ],
    },
    (spec) => podErrors(spec),
  );

  it("has annotations that mean what they say", () => {
    const annotations = {
      "kubernetes.io/config.mirror": "x",
      "controller.kubernetes.io/pod-deletion-cost": "1.5",
      "container.apparmor.security.beta.kubernetes.io/other": "mine",
      "seccomp.security.alpha.kubernetes.io/pod": "mine",
    };
    assert.deepEqual(podErrors({}, { annotations }), [
      'metadata.annotations[kubernetes.io/config.mirror]: Invalid value: "x": must set spec.nodeName if mirror pod annotation is set',
      'metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "1.5": must be a 32bit integer',
      'metadata.annotations.seccomp.security.alpha.kubernetes.io/pod: Invalid value: "mine": must be a valid seccomp profile',
      'metadata.annotations[container.apparmor.security.beta.kubernetes.io/other]: Invalid value: "other": container not found',
      'metadata.annotations[container.apparmor.security.beta.kubernetes.io/other]: Invalid value: "mine": invalid AppArmor profile name: "mine"',
    ]);
  });

  it("says the same in annotations and fields", () => {
    const annotations = {
      "container.apparmor.security.beta.kubernetes.io/c": "runtime/default",
      "seccomp.security.alpha.kubernetes.io/pod": "localhost/a",
    };
    const spec = {
      securityContext: {
        appArmorProfile: { type: "Unconfined" },
        seccompProfile: { type: "Localhost", localhostProfile: "b" },
      },
    };
    assert.deepEqual(podErrors(spec, { annotations }), [
      "spec.securityContext.seccompProfile.localhostProfile: Forbidden: seccomp profile in annotation and field must match",
      "spec.containers[0].securityContext.appArmorProfile.type: Forbidden: apparmor type in annotation and field must match",
    ]);
  });
});

describe("Template of pods", () => {
  const path = FieldPath.of("spec", "template");

  it("is judged like a pod, with paths below it", () => {
    const { metadata, spec } = podOf({ containers: [] }, { labels: { "a b": "c" } });
    assert.deepEqual(told(validatePodTemplateSpec({ metadata, spec }, path)), [
      "spec.template.labels: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      "spec.template.spec.containers: Required value",
    ]);
  });

  it("may have spaces around images and ports that the host does not have", () => {
    const { metadata, spec } = podOf({ containers: [{ name: "c", image: " {{ image }} " }] });
    assert.deepEqual(validatePodTemplateSpec({ metadata, spec }, path), []);
  });

  it("has no ephemeral containers", () => {
    const { metadata, spec } = podOf({ ephemeralContainers: [{ name: "e", image: "i" }] });
    assert.deepEqual(told(validatePodTemplateSpec({ metadata, spec }, path)), [
      "spec.template.spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template",
    ]);
  });

  it("may keep what it had although a new one may not have it", () => {
    const values = { key: "a", operator: "In", values: ["bad value!"] };
    const { metadata, spec } = podOf({
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: "z",
          whenUnsatisfiable: "ScheduleAnyway",
          labelSelector: { matchExpressions: [values] },
        },
      ],
    });
    assert.equal(validatePodTemplateSpec({ metadata, spec }, path).length, 1);
    assert.deepEqual(validatePodTemplateSpec({ metadata, spec }, path, { metadata, spec }), []);
  });
});

describe("Binding", () => {
  const bind = (target: { kind?: string; name?: string }) =>
    told(validateBinding({ metadata: {}, target }));

  it("is to a node with a name", () => {
    assert.deepEqual(bind({ name: "n" }), []);
    assert.deepEqual(bind({ kind: "Node", name: "n" }), []);
    assert.deepEqual(bind({ kind: "Pod" }), [
      'target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"',
      "target.name: Required value",
    ]);
    assert.equal(bind({ name: "A" }).length, 1);
  });
});
