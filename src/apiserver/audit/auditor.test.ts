import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../api/json.ts";
import { badRequest, notFound, StatusError } from "../../api/status-error.ts";
import { createMetrics } from "../../base/metrics.ts";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { type Action, nowhere } from "../authorization.ts";
import { type HttpRequest, jsonAnswer, statusAnswer, successAnswer } from "../http/answer.ts";
import { AUTHENTICATED } from "../user.ts";
import type { AuditLevel } from "./audit-event.ts";
import { Auditor, nobody, type RequestAudit } from "./auditor.ts";
import { parsePolicy } from "./parse-policy.ts";

const alice = { name: "alice", uid: "7", groups: ["dev", AUTHENTICATED], extra: { a: ["b"] } };
const SECRET = "c2VjcmV0LXZhbHVl";

interface Asked {
  readonly level: AuditLevel;
  readonly omit?: string;
  readonly action?: Partial<Action>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly url?: string;
}

class Trail {
  readonly clock = new FakeClock();
  readonly lines: string[] = [];
  readonly audit: RequestAudit;

  constructor({ level, omit = "", action = {}, headers = {}, url = "/api/v1/x" }: Asked) {
    const rules = `rules: [{level: ${level}}]`;
    const text = `apiVersion: audit.k8s.io/v1\nkind: Policy\n${omit}\n${rules}`;
    const auditor = new Auditor({
      policy: parsePolicy(text, "f"),
      sink: { write: (line) => void this.lines.push(line) },
      clock: this.clock,
      metrics: createMetrics(),
    });
    const request = { headers, url, socket: { remoteAddress: "10.0.0.1" } };
    this.audit = auditor.begin(request as unknown as HttpRequest);
    const resource = { isResource: true, version: "v1", resource: "configmaps", namespace: "shop" };
    this.audit.start({ ...nowhere, path: "", verb: "create", user: alice, ...resource, ...action });
  }

  get events(): readonly JsonObject[] {
    return this.lines.map((line) => JSON.parse(line) as JsonObject);
  }

  get last(): JsonObject {
    return this.events.at(-1) ?? {};
  }
}

const body = (value: object): Buffer => Buffer.from(JSON.stringify(value));
const map = { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "a", managedFields: [{}] } };

describe("RequestAudit", () => {
  it("writes an event as Kubernetes does, field by field", async () => {
    const trail = new Trail({
      level: "Metadata",
      headers: { "user-agent": "kubectl/1.36", "audit-id": "id-1" },
      url: "/api/v1/namespaces/shop/configmaps?fieldManager=kubectl",
      omit: "omitStages: [RequestReceived]",
    });
    const { audit, clock } = trail;
    audit.impersonate({ name: "bob", groups: [] });
    audit.authorize({ verdict: "allow", reason: "RBAC: allowed" });
    audit.annotate("pod-security.kubernetes.io/enforce-policy", "privileged:latest");
    audit.refersTo({ name: "a", uid: "u" });
    await clock.step(12.5);
    audit.complete(jsonAnswer(201, map));
    assert.equal(
      trail.lines.join("\n"),
      '{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"id-1","stage":"ResponseComplete",' +
        '"requestURI":"/api/v1/namespaces/shop/configmaps?fieldManager=kubectl","verb":"create",' +
        '"user":{"username":"alice","uid":"7","groups":["dev","system:authenticated"],"extra":{"a":["b"]}},' +
        '"impersonatedUser":{"username":"bob"},"sourceIPs":["10.0.0.1"],"userAgent":"kubectl/1.36",' +
        '"objectRef":{"resource":"configmaps","namespace":"shop","name":"a","uid":"u","apiVersion":"v1"},' +
        '"responseStatus":{"metadata":{},"code":201},' +
        '"requestReceivedTimestamp":"2024-01-01T00:00:00.000000Z","stageTimestamp":"2024-01-01T00:00:00.012500Z",' +
        '"annotations":{"authorization.k8s.io/decision":"allow","authorization.k8s.io/reason":"RBAC: allowed",' +
        '"pod-security.kubernetes.io/enforce-policy":"privileged:latest"}}',
    );
  });

  it("tells the arrival, and the end of an answer", () => {
    const { audit, ...trail } = new Trail({ level: "Metadata" });
    audit.complete(jsonAnswer(200, map));
    const stages = trail.lines.map((line) => (JSON.parse(line) as JsonObject)["stage"]);
    assert.deepEqual(stages, ["RequestReceived", "ResponseComplete"]);
  });

  it("tells the start and the end of a watch", () => {
    const trail = new Trail({ level: "Metadata", omit: "omitStages: [RequestReceived]" });
    trail.audit.respond(200);
    trail.audit.complete(undefined);
    assert.deepEqual(
      trail.events.map(({ stage, responseStatus }) => ({ stage, responseStatus })),
      ["ResponseStarted", "ResponseComplete"].map((stage) => ({
        stage,
        responseStatus: { metadata: {}, code: 200 },
      })),
    );
  });

  it("tells a fault of the server without what it was about", () => {
    const trail = new Trail({ level: "Metadata" });
    trail.audit.panic();
    trail.audit.complete(jsonAnswer(500, {}));
    assert.equal(trail.last["stage"], "Panic");
    assert.equal((trail.last["responseStatus"] as JsonObject)["code"], 500);
  });

  it("is silent where the policy says None", () => {
    const trail = new Trail({ level: "None" });
    trail.audit.annotate("a", "b");
    trail.audit.respond(200);
    trail.audit.complete(undefined);
    trail.audit.panic();
    assert.deepEqual(trail.lines, []);
  });

  it("tells of a request whose sender could not be found out", () => {
    const trail = new Trail({ level: "Metadata", action: { user: nobody } });
    assert.deepEqual(trail.last["user"], {});
  });

  it("has the status of a refusal, and of a deletion", () => {
    const trail = new Trail({ level: "Metadata" });
    const missing = notFound({ group: "", resource: "configmaps", kind: "ConfigMap" }, "a");
    trail.audit.complete(statusAnswer(missing));
    assert.deepEqual(trail.last["responseStatus"], {
      metadata: {},
      status: "Failure",
      message: 'configmaps "a" not found',
      reason: "NotFound",
      details: { name: "a", kind: "configmaps" },
      code: 404,
    });
    const deletion = new Trail({ level: "Metadata" });
    deletion.audit.complete(successAnswer(200, { name: "a", kind: "configmaps" }));
    assert.equal((deletion.last["responseStatus"] as JsonObject)["status"], "Success");
  });

  it("annotates what took long", async () => {
    const trail = new Trail({ level: "Metadata" });
    await trail.clock.step(1500);
    trail.audit.complete(jsonAnswer(200, map));
    assert.deepEqual(trail.last["annotations"], { "apiserver.latency.k8s.io/total": "1.500000s" });
  });

  it("shows bodies as the level says", () => {
    const shown = (level: AuditLevel): readonly [unknown, unknown] => {
      const trail = new Trail({ level });
      trail.audit.requestBody(body({ ...map, data: { k: "v" } }), "application/json");
      trail.audit.complete(jsonAnswer(201, { ...map, data: { k: "w" } }));
      const { requestObject, responseObject } = trail.last;
      return [
        (requestObject as JsonObject | undefined)?.["data"],
        (responseObject as JsonObject | undefined)?.["data"],
      ];
    };
    assert.deepEqual(shown("Metadata"), [undefined, undefined]);
    assert.deepEqual(shown("Request"), [{ k: "v" }, undefined]);
    assert.deepEqual(shown("RequestResponse"), [{ k: "v" }, { k: "w" }]);
  });

  it("shows YAML as JSON, and nothing that cannot be read", () => {
    const trail = new Trail({ level: "Request" });
    trail.audit.requestBody(Buffer.from("data: {k: v}"), "application/apply-patch+yaml");
    trail.audit.complete(jsonAnswer(200, map));
    assert.deepEqual(trail.last["requestObject"], { data: { k: "v" } });
    const broken = new Trail({ level: "Request" });
    broken.audit.requestBody(Buffer.from("{nonsense"), "application/json");
    broken.audit.complete(jsonAnswer(400, {}));
    assert.equal(broken.last["requestObject"], undefined);
  });

  it("leaves managed fields out where the policy says so, also in lists", () => {
    const trail = new Trail({ level: "RequestResponse", omit: "omitManagedFields: true" });
    trail.audit.requestBody(body(map), undefined);
    trail.audit.complete(jsonAnswer(200, { kind: "ConfigMapList", metadata: {}, items: [map] }));
    assert.ok(trail.lines.length > 0 && !trail.lines.join().includes("managedFields"));
  });

  it("leaves out a body that is too long, and says so", () => {
    const trail = new Trail({ level: "RequestResponse" });
    trail.audit.complete(jsonAnswer(200, { data: "x".repeat(300_000) }));
    assert.ok(trail.lines.join().length < 2000);
    assert.deepEqual(trail.last["annotations"], { "audit.k8s.io/truncated": "true" });
  });
});

describe("RequestAudit and secrets", () => {
  const secret = { kind: "Secret", apiVersion: "v1", metadata: {}, data: { k: SECRET } };
  const places: readonly Partial<Action>[] = [
    { resource: "secrets" },
    { resource: "secrets", subresource: "status" },
    { resource: "configrevisions", group: "driftless.dev" },
    { resource: "serviceaccounts", subresource: "token" },
    { resource: "tokenreviews", group: "authentication.k8s.io" },
    { isResource: false, resource: "", path: "/driftless/join" },
  ];

  /** Everything that the log says when this was sent and answered, at the highest level. */
  function toldOf(action: Partial<Action>, sent: object, answered: object | StatusError): string {
    const trail = new Trail({ level: "RequestResponse", action });
    trail.audit.requestBody(body(sent), "application/json");
    const isError = answered instanceof Error;
    trail.audit.complete(isError ? statusAnswer(answered) : jsonAnswer(200, answered));
    assert.equal(trail.lines.length, 2);
    return trail.lines.join("\n");
  }

  for (const action of places) {
    it(`never shows bodies of ${action.resource}/${action.subresource ?? ""}, whatever the policy says`, () => {
      const told = toldOf(action, secret, { kind: "SecretList", items: [secret] });
      assert.ok(!told.includes(SECRET));
      assert.ok(!told.includes("Object"));
      assert.ok(told.includes('"level":"Metadata"'));
    });

    it(`never shows what a refusal of ${action.resource}/${action.subresource ?? ""} repeats`, () => {
      const causes = [{ field: "data", message: `Invalid value: ${SECRET}` }];
      const refusal = { code: 422, reason: "Invalid", message: `cannot be ${SECRET}` } as const;
      const told = toldOf(action, secret, new StatusError({ ...refusal, details: { causes } }));
      assert.ok(!told.includes(SECRET));
    });
  }

  it("hides a secret that was sent to the wrong place, and one in a list or a table", () => {
    const table = { kind: "Table", rows: [{ cells: [], object: secret }] };
    const list = { kind: "List", items: [map, secret] };
    assert.ok(!toldOf({}, secret, table).includes(SECRET));
    assert.ok(!toldOf({}, list, map).includes(SECRET));
    const quote = `the object provided is unrecognized (must be of type X): ({"data":"${SECRET}`;
    assert.ok(!toldOf({}, map, badRequest(quote)).includes(SECRET));
  });

  it("hides what is in a ConfigMap below the level Request, also in refusals", () => {
    const trail = new Trail({ level: "Metadata" });
    trail.audit.complete(statusAnswer(badRequest("cannot take value-of-map")));
    assert.ok(!trail.lines.join().includes("value-of-map"));
    assert.ok(toldOf({}, map, badRequest("cannot take value-of-map")).includes("value-of-map"));
  });

  it("never shows the Authorization header, nor tokens in the URI or the agent's name", () => {
    const token = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl";
    const trail = new Trail({
      level: "RequestResponse",
      headers: { authorization: `Bearer ${token}`, "user-agent": `x ${token}` },
      url: `/api/v1/x?access_token=${token}&other=${token}`,
    });
    trail.audit.complete(jsonAnswer(200, map));
    assert.ok(trail.lines.length === 2 && !trail.lines.join().includes("eyJ"));
  });
});
