import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AuditPolicyError, parsePolicy } from "./parse-policy.ts";

const head = "apiVersion: audit.k8s.io/v1\nkind: Policy\n";

function problemsOf(text: string): readonly string[] {
  try {
    parsePolicy(text, "policy.yaml");
  } catch (err) {
    assert.ok(err instanceof AuditPolicyError);
    const prefix = "Cannot use the audit policy policy.yaml: ";
    assert.ok(err.message.startsWith(prefix));
    return err.message.slice(prefix.length).split("; ");
  }
  return [];
}

describe("parsePolicy", () => {
  it("reads every field of Kubernetes' format", () => {
    const policy = parsePolicy(
      `${head}metadata: { name: x }
omitStages: [RequestReceived]
omitManagedFields: true
rules:
  - level: RequestResponse
    users: [admin]
    userGroups: ["system:masters"]
    verbs: [create]
    namespaces: [""]
    resources:
      - group: apps
        resources: [deployments, "*/status"]
        resourceNames: [web]
    omitManagedFields: no
  - level: None
    nonResourceURLs: ["/healthz*"]
    omitStages: [Panic]
`,
      "f",
    );
    const none = { users: [], userGroups: [], verbs: [], resources: [], namespaces: [] };
    assert.deepEqual(policy, {
      omitStages: ["RequestReceived"],
      omitManagedFields: true,
      rules: [
        {
          level: "RequestResponse",
          users: ["admin"],
          userGroups: ["system:masters"],
          verbs: ["create"],
          namespaces: [""],
          resources: [
            { group: "apps", resources: ["deployments", "*/status"], resourceNames: ["web"] },
          ],
          nonResourceURLs: [],
          omitStages: [],
          omitManagedFields: false,
        },
        {
          ...none,
          level: "None",
          nonResourceURLs: ["/healthz*"],
          omitStages: ["Panic"],
          omitManagedFields: undefined,
        },
      ],
    });
  });

  it("says which line and field is wrong, and all of them at once", () => {
    const text = `${head}rules:
  - level: Meta
  - level: Metadata
    verb: [get]
    nonResourceURLs: [healthz, "/a*b"]
    namespaces: [x]
    omitStages: [Started]
  - users: admin
    resources:
      - group: apps/v1
        resourceNames: [a]
      - pods
`;
    assert.deepEqual(
      problemsOf(text).map((problem) =>
        problem.replace(/: a lowercase RFC 1123.*/, ": no subdomain"),
      ),
      [
        'line 4: rules[0].level: Unsupported value: "Meta": supported values: "None", "Metadata", "Request", "RequestResponse"',
        "line 6: rules[1].verb: unknown field",
        'line 9: rules[1].omitStages[0]: Unsupported value: "Started": supported values: "RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"',
        "line 7: rules[1].nonResourceURLs: rules cannot apply to both regular resources and non-resource URLs",
        "line 7: rules[1].nonResourceURLs[0]: non-resource URL rules must begin with a '/' character",
        "line 7: rules[1].nonResourceURLs[1]: non-resource URL wildcards '*' must be the final character of the rule",
        "line 10: rules[2].level: Required value",
        "line 10: rules[2].users: must be a list",
        "line 12: rules[2].resources[0].group: no subdomain",
        "line 13: rules[2].resources[0].resourceNames: using resourceNames requires at least one resource",
        "line 14: rules[2].resources[1]: must be an object",
      ],
    );
  });

  it("refuses another kind, no rules, and what is no YAML", () => {
    assert.deepEqual(
      problemsOf("apiVersion: audit.k8s.io/v1beta1\nkind: Policy\nrules: [{level: None}]"),
      ['line 1: apiVersion: must be "audit.k8s.io/v1", and is "audit.k8s.io/v1beta1"'],
    );
    assert.deepEqual(problemsOf(`${head}rules: []`), [
      "line 3: rules: Required value: a policy needs a rule",
    ]);
    assert.match(problemsOf(`${head}rules: [`).join(), /at line 3/);
    assert.match(problemsOf("").join(), /must be an object/);
  });
});
