import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inspect } from "node:util";
import fc from "fast-check";
import { notFound, serviceUnavailable } from "../../api/status-error.ts";
import type { Container, EnvFromSource, EnvVar, Pod, Service } from "../../api/types.ts";
import { tempDir } from "../../base/testing/temp-dir.ts";
import { ConfigObject, type ObjectReference, referenceKey } from "../objects/config-object.ts";
import { buildEnvironment } from "./build-environment.ts";
import type { EnvironmentSources } from "./environment.ts";

const namespace = "shop";

function configMap(name: string, data: Record<string, string>, binaryData = {}): ConfigObject {
  return ConfigObject.fromConfigMap({
    metadata: { namespace, name, uid: `u-${name}`, resourceVersion: "7" },
    data,
    binaryData,
  });
}

function secret(name: string, values: Record<string, string | Uint8Array>): ConfigObject {
  const data: Record<string, string> = {};
  for (const [key, value] of Object.entries(values)) {
    data[key] = Buffer.from(value as string).toString("base64");
  }
  return ConfigObject.fromSecret({ metadata: { namespace, name }, data });
}

interface World {
  readonly env?: readonly EnvVar[];
  readonly envFrom?: readonly EnvFromSource[];
  readonly container?: Partial<Container>;
  readonly pod?: Partial<Pod["spec"]>;
  readonly objects?: readonly ConfigObject[];
  readonly sources?: Partial<EnvironmentSources>;
}

/** What the container gets, and which objects were asked for. */
function sourcesOf(world: World): {
  readonly sources: EnvironmentSources;
  readonly asked: string[];
} {
  const { env = [], envFrom = [], objects = [] } = world;
  const asked: string[] = [];
  const container: Container = {
    name: "main",
    resources: {},
    env: [...env],
    envFrom: [...envFrom],
    ...world.container,
  };
  const pod: Pod = {
    metadata: { name: "web", namespace, uid: "u1", labels: { app: "w" } },
    spec: {
      enableServiceLinks: true,
      nodeName: "n1",
      serviceAccountName: "sa",
      containers: [container],
      ...world.pod,
    },
    status: {},
  };
  const object = (of: ObjectReference): Promise<ConfigObject> => {
    asked.push(referenceKey(of));
    const found = objects.find((one) => referenceKey(one) === referenceKey(of));
    const resource = of.kind === "Secret" ? "secrets" : "configmaps";
    return found
      ? Promise.resolve(found)
      : Promise.reject(notFound({ group: "", resource, kind: of.kind }, of.name));
  };
  const sources: EnvironmentSources = {
    pod,
    container,
    node: {
      name: "n1",
      addresses: ["10.0.0.7", "fd00::7"],
      allocatable: { cpu: "2", memory: "1Gi" },
    },
    object,
    services: [],
    isStatic: false,
    volumePath: () => undefined,
    ...world.sources,
  };
  return { sources, asked };
}

async function variablesOf(world: World): Promise<readonly (readonly [string, string])[]> {
  return [...(await buildEnvironment(sourcesOf(world).sources)).variables];
}

function failureOf(world: World): Promise<Error> {
  return buildEnvironment(sourcesOf(world).sources).then(
    () => assert.fail("an environment was built"),
    (err: Error) => err,
  );
}

const testService: Service = {
  metadata: { name: "test", namespace },
  spec: { clusterIP: "1.2.3.5", ports: [{ port: 8083, targetPort: 8083 }] },
  status: { loadBalancer: {} },
};

describe("buildEnvironment with services", () => {
  const unknown = { services: undefined };

  it("L1: does not start a pod while services are not known", async () => {
    const err = await failureOf({ sources: unknown });
    assert.equal(
      err.message,
      "services have not yet been read at least once, cannot construct envvars",
    );
  });

  it("L2, L7: starts a static pod without them", async () => {
    const env = [{ name: "A", value: "1" }];
    assert.deepEqual(await variablesOf({ env, sources: { ...unknown, isStatic: true } }), [
      ["A", "1"],
    ]);
  });

  it("L6: keeps what the container says over what a service would", async () => {
    const env = [{ name: "TEST_SERVICE_HOST", value: "mine" }];
    const variables = await variablesOf({ env, sources: { services: [testService] } });
    assert.deepEqual(variables.slice(0, 2), [
      ["TEST_SERVICE_HOST", "mine"],
      ["TEST_SERVICE_PORT", "8083"],
    ]);
    assert.equal(variables.filter(([name]) => name === "TEST_SERVICE_HOST").length, 1);
  });

  it("L14: lets values refer to services", async () => {
    const env = [{ name: "URL", value: "$(TEST_SERVICE_HOST):$(TEST_SERVICE_PORT)" }];
    const variables = await variablesOf({ env, sources: { services: [testService] } });
    assert.deepEqual(variables[0], ["URL", "1.2.3.5:8083"]);
  });

  it("L27: wants to be told whether services count", async () => {
    const err = await failureOf({ pod: { enableServiceLinks: undefined } });
    assert.equal(
      err.message,
      "nil pod.spec.enableServiceLinks encountered, cannot construct envvars",
    );
  });
});

describe("buildEnvironment with values", () => {
  it("L8: asks pod and node for fields", async () => {
    const fields = [
      "metadata.name",
      "metadata.labels['app']",
      "spec.nodeName",
      "spec.serviceAccountName",
      "status.podIP",
      "status.hostIPs",
    ];
    const env = fields.map((fieldPath, i) => ({
      name: `F${i}`,
      valueFrom: { fieldRef: { fieldPath } },
    }));
    const values = (await variablesOf({ env })).map(([, value]) => value);
    assert.deepEqual(values, ["web", "w", "n1", "sa", "10.0.0.7", "10.0.0.7,fd00::7"]);
  });

  it("refuses a field of another version of pods", async () => {
    const err = await failureOf({
      env: [
        { name: "A", valueFrom: { fieldRef: { apiVersion: "v2", fieldPath: "metadata.name" } } },
      ],
    });
    assert.equal(err.message, "unsupported pod version: v2");
  });

  it("asks for resources: its own ones, the pod's for what it does not limit, then the node's", async () => {
    const of = (resource: string, containerName?: string): EnvVar["valueFrom"] => ({
      resourceFieldRef: { resource, divisor: "1m", ...(containerName && { containerName }) },
    });
    const env = [
      { name: "OWN", valueFrom: of("requests.cpu") },
      { name: "POD", valueFrom: of("limits.cpu") },
      { name: "INIT", valueFrom: of("limits.cpu", "setup") },
      {
        name: "NODE",
        valueFrom: { resourceFieldRef: { resource: "limits.memory", divisor: "1Mi" } },
      },
    ];
    const container = { resources: { requests: { cpu: "100m" } } };
    const pod = {
      resources: { limits: { cpu: "1500m" } },
      initContainers: [{ name: "setup", resources: {} }],
    };
    const values = (await variablesOf({ env, container, pod })).map(([, value]) => value);
    assert.deepEqual(values, ["100", "1500", "1500", "1024"]);
  });

  const chains: readonly [
    id: string,
    env: readonly (readonly [string, string])[],
    values: readonly string[],
  ][] = [
    [
      "L10",
      [
        ["OUT_OF_ORDER", "$(LATER)"],
        ["LATER", "FOO"],
      ],
      ["$(LATER)", "FOO"],
    ],
    [
      "L11",
      [
        ["EMPTY", ""],
        ["FOO", "foo-$(EMPTY)"],
      ],
      ["", "foo-"],
    ],
    [
      "L12",
      [
        ["A", "web"],
        ["B", "$(A)-3"],
        ["C", "$(B)"],
      ],
      ["web", "web-3", "web-3"],
    ],
    ["L13", [["A", "$(UNDEFINED)"]], ["$(UNDEFINED)"]],
    [
      "M",
      [
        ["A", "$$(B)"],
        ["B", "$(A)"],
      ],
      ["$(B)", "$(B)"],
    ],
  ];
  for (const [id, env, values] of chains) {
    it(`${id}: expands ${JSON.stringify(env)}`, async () => {
      const variables = await variablesOf({ env: env.map(([name, value]) => ({ name, value })) });
      assert.deepEqual(
        variables,
        env.map(([name], i) => [name, values[i]]),
      );
    });
  }

  it("lets the last of two with the same name win, in the place of the first", async () => {
    const env = [
      { name: "A", value: "1" },
      { name: "B", value: "$(A)" },
      { name: "A", value: "2$(A)" },
    ];
    assert.deepEqual(await variablesOf({ env }), [
      ["A", "21"],
      ["B", "1"],
    ]);
  });

  it("does not look at the source of what has a value", async () => {
    const env = [
      { name: "A", value: "1", valueFrom: { secretKeyRef: { name: "absent", key: "k" } } },
    ];
    const { sources, asked } = sourcesOf({ env });
    assert.deepEqual([...(await buildEnvironment(sources)).variables], [["A", "1"]]);
    assert.deepEqual(asked, []);
  });

  it("Z35: refuses a NUL byte in a value of the spec", async () => {
    const err = await failureOf({ env: [{ name: "A", value: "x\0y" }] });
    assert.equal(
      err.message,
      'Cannot set environment variable "A" from its own value: the value has a NUL byte in it, which no process can have in its environment',
    );
  });
});

describe("buildEnvironment with keys of objects", () => {
  const refTo = (
    kind: "ConfigMap" | "Secret",
    of: { name: string; key: string; optional?: boolean },
  ): EnvVar => ({
    name: "A",
    valueFrom: kind === "ConfigMap" ? { configMapKeyRef: of } : { secretKeyRef: of },
  });

  for (const kind of ["ConfigMap", "Secret"] as const) {
    const objects = [
      kind === "ConfigMap"
        ? configMap("app", { k: "$(B)", e: "" })
        : secret("app", { k: "$(B)", e: "" }),
    ];
    const id = kind === "ConfigMap" ? ["L15", "L16"] : ["L17", "L18"];

    it(`takes the value of a ${kind} as it is`, async () => {
      const env = [{ name: "B", value: "b" }, refTo(kind, { name: "app", key: "k" })];
      assert.deepEqual(await variablesOf({ env, objects }), [
        ["B", "b"],
        ["A", "$(B)"],
      ]);
    });

    it(`sets a variable to the empty value of a ${kind}`, async () => {
      assert.deepEqual(
        await variablesOf({ env: [refTo(kind, { name: "app", key: "e" })], objects }),
        [["A", ""]],
      );
    });

    it(`${id[0]}: does not set a variable whose optional ${kind} is missing`, async () => {
      const env = [refTo(kind, { name: "absent", key: "k", optional: true })];
      assert.deepEqual(await variablesOf({ env, objects }), []);
    });

    it(`${id[1]}: does not set a variable whose optional key is missing in a ${kind}`, async () => {
      const env = [refTo(kind, { name: "app", key: "absent", optional: true })];
      assert.deepEqual(await variablesOf({ env, objects }), []);
    });

    it(`fails for a missing ${kind}, and for a missing key`, async () => {
      const resource = kind === "Secret" ? "secrets" : "configmaps";
      const [object, key] = await Promise.all([
        failureOf({ env: [refTo(kind, { name: "absent", key: "k" })], objects }),
        failureOf({ env: [refTo(kind, { name: "app", key: "absent" })], objects }),
      ]);
      assert.equal(object.message, `${resource} "absent" not found`);
      assert.equal(key.message, `couldn't find key absent in ${kind} shop/app`);
    });

    it(`fails for an optional ${kind} about which the server says something else`, async () => {
      const env = [refTo(kind, { name: "app", key: "k", optional: true })];
      const object = () => Promise.reject(serviceUnavailable("not now"));
      assert.equal((await failureOf({ env, sources: { object } })).message, "not now");
    });
  }

  it("keeps the value from a whole object if an optional key is missing", async () => {
    const env = [refTo("ConfigMap", { name: "absent", key: "k", optional: true })];
    const envFrom = [{ configMapRef: { name: "app" } }];
    const objects = [configMap("app", { A: "whole" })];
    assert.deepEqual(await variablesOf({ env, envFrom, objects }), [["A", "whole"]]);
  });

  it("Z36: says of a key in binaryData where it is", async () => {
    const objects = [configMap("app", {}, { bin: "AAAA" })];
    const err = await failureOf({
      env: [refTo("ConfigMap", { name: "app", key: "bin" })],
      objects,
    });
    assert.equal(
      err.message,
      "couldn't find key bin in ConfigMap shop/app: it is in binaryData, which is for files only",
    );
  });

  it("Z35, G9: refuses NUL bytes and what is no text, naming variable and source but never the value", async () => {
    const bytes = Buffer.from([0x63, 0x61, 0x6e, 0x61, 0x72, 0x79, 0xff]);
    const objects = [secret("db", { nul: "canary\0", raw: bytes })];
    const nul = await failureOf({ env: [refTo("Secret", { name: "db", key: "nul" })], objects });
    const raw = await failureOf({ env: [refTo("Secret", { name: "db", key: "raw" })], objects });
    const whole = await failureOf({
      envFrom: [{ prefix: "P_", secretRef: { name: "db" } }],
      objects,
    });
    assert.match(
      nul.message,
      /^Cannot set environment variable "A" from key "nul" of Secret shop\/db: the value has a NUL byte in it/,
    );
    assert.equal(
      raw.message,
      'Cannot set environment variable "A" from key "raw" of Secret shop/db: the value is not UTF-8 text',
    );
    assert.match(
      whole.message,
      /^Cannot set environment variable "P_nul" from key "nul" of Secret shop\/db/,
    );
    for (const err of [nul, raw, whole]) assert.doesNotMatch(inspect(err), /canary/);
  });

  it("Z28: asks for each object once, and says which versions it used, and nothing of what was missing", async () => {
    const env = [
      refTo("ConfigMap", { name: "app", key: "a" }),
      { ...refTo("ConfigMap", { name: "app", key: "b" }), name: "B" },
      { ...refTo("Secret", { name: "gone", key: "k", optional: true }), name: "C" },
      { ...refTo("Secret", { name: "db", key: "absent", optional: true }), name: "D" },
    ];
    const envFrom = [
      { configMapRef: { name: "app" } },
      { secretRef: { name: "gone", optional: true } },
    ];
    const objects = [configMap("app", { a: "1", b: "2" }), secret("db", { p: "x" })];
    const { sources, asked } = sourcesOf({ env, envFrom, objects });
    const made = await buildEnvironment(sources);
    assert.deepEqual(asked, ["ConfigMap/shop/app", "Secret/shop/gone", "Secret/shop/db"]);
    assert.deepEqual(
      made.objects.map((object) => object.asVersion),
      objects.map((object) => object.asVersion),
    );
  });
});

describe("buildEnvironment with whole objects", () => {
  for (const kind of ["ConfigMap", "Secret"] as const) {
    const data = { REPLACE_ME: "FROM_OBJECT", DUPE: "OBJECT" };
    const object = kind === "ConfigMap" ? configMap("app", data) : secret("app", data);
    const from = (more: { prefix?: string; name?: string; optional?: boolean }): EnvFromSource => {
      const { prefix, name = "app", optional } = more;
      const ref = { name, optional };
      return { prefix, ...(kind === "ConfigMap" ? { configMapRef: ref } : { secretRef: ref }) };
    };

    it(`L19, L23: takes a ${kind} with and without a prefix, and lets single variables win`, async () => {
      const env = [
        { name: "DUPE", value: "ENV" },
        { name: "EXPANDED", value: "$(REPLACE_ME) $(p_DUPE)" },
      ];
      const variables = await variablesOf({
        env,
        envFrom: [from({}), from({ prefix: "p_" })],
        objects: [object],
      });
      assert.deepEqual(variables, [
        ["DUPE", "ENV"],
        ["REPLACE_ME", "FROM_OBJECT"],
        ["p_DUPE", "OBJECT"],
        ["p_REPLACE_ME", "FROM_OBJECT"],
        ["EXPANDED", "FROM_OBJECT OBJECT"],
      ]);
    });

    it(`L20: takes a prefix that starts with a digit, for a ${kind}`, async () => {
      const variables = await variablesOf({ envFrom: [from({ prefix: "1_" })], objects: [object] });
      assert.deepEqual(
        variables.map(([name]) => name),
        ["1_DUPE", "1_REPLACE_ME"],
      );
    });

    it(`L21, L24: passes over a missing ${kind} only if it is optional`, async () => {
      const err = await failureOf({ envFrom: [from({ name: "absent" })] });
      assert.match(err.message, /"absent" not found$/);
      assert.deepEqual(
        await variablesOf({ envFrom: [from({ name: "absent", optional: true })] }),
        [],
      );
    });

    it(`L22, L25, L26: takes any key of a ${kind} for a name`, async () => {
      const odd = { "1234": "a", "1234.name": "b", "with-dash": "c" };
      const objects = [kind === "ConfigMap" ? configMap("app", odd) : secret("app", odd)];
      const variables = await variablesOf({ envFrom: [from({}), from({ prefix: "p_" })], objects });
      assert.deepEqual(
        variables.map(([name]) => name),
        ["1234", "1234.name", "with-dash", "p_1234", "p_1234.name", "p_with-dash"],
      );
    });
  }

  it("lets a later object win over an earlier one", async () => {
    const envFrom = [{ configMapRef: { name: "one" } }, { secretRef: { name: "two" } }];
    const objects = [configMap("one", { A: "1", B: "1" }), secret("two", { A: "2" })];
    assert.deepEqual(await variablesOf({ envFrom, objects }), [
      ["A", "2"],
      ["B", "1"],
    ]);
  });

  it("leaves out binaryData, as the original does", async () => {
    const objects = [configMap("app", { text: "t" }, { bin: "AAAA" })];
    assert.deepEqual(await variablesOf({ envFrom: [{ configMapRef: { name: "app" } }], objects }), [
      ["text", "t"],
    ]);
  });

  it("Z34: gives the same order whatever order an object's keys came in", async () => {
    const keys = fc.uniqueArray(fc.stringMatching(/^[a-zA-Z_.-][a-zA-Z0-9]{0,3}$/), {
      minLength: 2,
      maxLength: 6,
    });
    const shuffles = keys.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    );
    await fc.assert(
      fc.asyncProperty(shuffles, async (orders) => {
        const [one, other] = await Promise.all(
          orders.map((order) =>
            variablesOf({
              envFrom: [{ configMapRef: { name: "app" } }],
              objects: [configMap("app", Object.fromEntries(order.map((key) => [key, key])))],
            }),
          ),
        );
        assert.deepEqual(one, other);
      }),
    );
  });
});

describe("buildEnvironment with files", () => {
  const keyOf = (
    key: string,
    more: { path?: string; volumeName?: string; optional?: boolean } = {},
  ): EnvVar => ({
    name: key,
    valueFrom: { fileKeyRef: { volumeName: "vars", path: "a.env", key, ...more } },
  });

  function withFiles(files: Record<string, string>, env: readonly EnvVar[]): World & Disposable {
    const dir = tempDir();
    dir.write(files);
    const volumePath = (volume: string): string | undefined =>
      volume === "vars" ? dir.path : undefined;
    return { env, sources: { volumePath }, [Symbol.dispose]: () => dir[Symbol.dispose]() };
  }

  it("L28: takes keys of two files among other values", async () => {
    const files = {
      "a.env": "# comment\n\nDB='db.local'\nPORT='5432' # the usual\n",
      "b/b.env": "MODE='fast'",
    };
    const env = [
      keyOf("DB"),
      { name: "URL", value: "tcp://$(DB)" },
      keyOf("PORT"),
      keyOf("MODE", { path: "b/b.env" }),
    ];
    using world = withFiles(files, env);
    assert.deepEqual(await variablesOf(world), [
      ["DB", "db.local"],
      ["URL", "tcp://db.local"],
      ["PORT", "5432"],
      ["MODE", "fast"],
    ]);
  });

  it("L29: says what is wrong with a file, and nothing of what it says", async () => {
    using world = withFiles({ "a.env": "DB = 'canary'\n" }, [keyOf("DB")]);
    const err = await failureOf(world);
    assert.equal(
      err.message,
      `couldn't parse env file "a.env" of volume "vars": invalid environment variable format at line 1: whitespace before '=' is not allowed`,
    );
    assert.doesNotMatch(inspect(err), /canary/);
  });

  it("L30: fails for a missing key, unless it is optional", async () => {
    using world = withFiles({ "a.env": "A='1'\n" }, [keyOf("B")]);
    assert.equal(
      (await failureOf(world)).message,
      'environment variable key "B" not found in file "a.env"',
    );
    assert.deepEqual(await variablesOf({ ...world, env: [keyOf("B", { optional: true })] }), []);
  });

  it("L31: fails for a missing file", async () => {
    using world = withFiles({}, [keyOf("A")]);
    assert.match(
      (await failureOf(world)).message,
      /^couldn't parse env file "a\.env" of volume "vars": there is no such file$/,
    );
  });

  it("Z37: does without an optional key whose file is missing", async () => {
    using world = withFiles({}, [keyOf("A", { optional: true })]);
    assert.deepEqual(await variablesOf(world), []);
  });

  it("Z37: takes an empty value for a value", async () => {
    using world = withFiles({ "a.env": "A=''\n" }, [
      keyOf("A"),
      { ...keyOf("A", { optional: true }), name: "B" },
    ]);
    assert.deepEqual(await variablesOf(world), [
      ["A", ""],
      ["B", ""],
    ]);
  });

  it("L32: fails for a volume that is not there, even if the key is optional", async () => {
    using world = withFiles({}, [keyOf("A", { volumeName: "other", optional: true })]);
    assert.equal(
      (await failureOf(world)).message,
      'cannot find the volume "other" referenced by FileKeyRef',
    );
  });

  it("refuses a NUL byte in a file's value", async () => {
    using world = withFiles({ "a.env": "A='canary\0'\n" }, [keyOf("A")]);
    const err = await failureOf(world);
    assert.match(
      err.message,
      /^Cannot set environment variable "A" from key "A" of file "a\.env": the value has a NUL byte/,
    );
    assert.doesNotMatch(inspect(err), /canary/);
  });
});
