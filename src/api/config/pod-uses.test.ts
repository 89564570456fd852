import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Container, PodSpec, Volume, VolumeMount } from "../types.ts";
import { type PodUse, podUses } from "./pod-uses.ts";

type Parts = Omit<Container, "name" | "resources"> & { readonly volumes?: readonly Volume[] };

function usesOf({ volumes = [], ...container }: Parts): readonly PodUse[] {
  return podUses({
    containers: [{ name: "app", resources: {}, ...container }],
    volumes: [...volumes],
  });
}

/** "ConfigMap/app volume /etc/app [a b]": what most tests are about. */
function said(uses: readonly PodUse[]): readonly string[] {
  return uses.map(({ kind, name, how, mountPath, keys }) =>
    [`${kind}/${name}`, how, mountPath, `[${keys?.join(" ") ?? "*"}]`].filter(Boolean).join(" "),
  );
}

const fromKey = (name: string, key: string, optional?: boolean) => ({
  configMapKeyRef: { name, key, optional },
});

const appMount = (more: Partial<VolumeMount> = {}): VolumeMount => ({
  name: "config",
  mountPath: "/etc/app",
  ...more,
});

const appVolume: Volume = { name: "config", configMap: { name: "app" } };

const itemsVolume: Volume = {
  name: "config",
  configMap: {
    name: "app",
    items: [
      { key: "main", path: "conf/main.yaml" },
      { key: "extra", path: "conf/d/extra.yaml" },
      { key: "motd", path: "motd" },
    ],
  },
};

const projectedVolume: Volume = {
  name: "config",
  projected: {
    sources: [
      { configMap: { name: "app" } },
      { secret: { name: "keys", items: [{ key: "tls.key", path: "tls/key" }] } },
      { configMap: { name: "app", items: [{ key: "motd", path: "tls/motd" }] } },
      { serviceAccountToken: { path: "token" } },
    ],
  },
};

describe("podUses of variables", () => {
  const table: readonly [title: string, parts: Parts, said: readonly string[]][] = [
    [
      "joins the keys that several variables take of one object",
      {
        env: [
          { name: "A", valueFrom: fromKey("app", "a") },
          { name: "B", valueFrom: fromKey("app", "b") },
          { name: "C", valueFrom: { secretKeyRef: { name: "app", key: "c" } } },
        ],
      },
      ["ConfigMap/app env [a b]", "Secret/app env [c]"],
    ],
    [
      "has all keys of what is used as a whole, and by key as well",
      {
        envFrom: [{ configMapRef: { name: "app" } }, { prefix: "S_", secretRef: { name: "keys" } }],
        env: [{ name: "A", valueFrom: fromKey("app", "a") }],
      },
      ["ConfigMap/app env [*]", "Secret/keys env [*]"],
    ],
    [
      "does not look at the source of a variable with a value",
      { env: [{ name: "A", value: "x", valueFrom: fromKey("app", "a") }] },
      [],
    ],
    [
      "takes fields, resources and files for no objects",
      {
        env: [
          { name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
          { name: "B", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "1" } } },
        ],
      },
      [],
    ],
    [
      "finds variables that command and args name",
      {
        command: ["serve", "--level=$(LEVEL)"],
        args: ["$(LEVEL)", "$(PORT)", "$(HOME)"],
        env: [
          { name: "LEVEL", valueFrom: fromKey("app", "level") },
          { name: "PORT", valueFrom: fromKey("app", "port") },
          { name: "OTHER", valueFrom: fromKey("app", "other") },
        ],
      },
      ["ConfigMap/app env [level port other]", "ConfigMap/app args [level port]"],
    ],
    [
      "takes $$(NAME), $NAME and what is not closed for text",
      {
        args: ["$$(LEVEL)", "$LEVEL", "$(LEVEL", "$$$$(LEVEL)"],
        env: [{ name: "LEVEL", valueFrom: fromKey("app", "level") }],
      },
      ["ConfigMap/app env [level]"],
    ],
    [
      "sees through a dollar sign before a reference",
      {
        args: ["$$$(LEVEL)"],
        env: [{ name: "LEVEL", valueFrom: fromKey("app", "level") }],
      },
      ["ConfigMap/app env [level]", "ConfigMap/app args [level]"],
    ],
    [
      "follows values that refer to earlier variables",
      {
        args: ["$(URL)"],
        env: [
          { name: "HOST", valueFrom: fromKey("app", "host") },
          { name: "ADDRESS", value: "$(HOST):80" },
          { name: "URL", value: "http://$(ADDRESS)/$(LATER)" },
          { name: "LATER", valueFrom: fromKey("app", "later") },
        ],
      },
      ["ConfigMap/app env [host later]", "ConfigMap/app args [host]"],
    ],
    [
      "takes a later declaration for the one that args see",
      {
        args: ["$(LEVEL)"],
        env: [
          { name: "LEVEL", valueFrom: fromKey("app", "level") },
          { name: "LEVEL", value: "info" },
        ],
      },
      ["ConfigMap/app env [level]"],
    ],
    [
      "knows that an optional key leaves what was there before",
      {
        args: ["$(LEVEL)"],
        env: [
          { name: "LEVEL", valueFrom: fromKey("base", "level") },
          { name: "LEVEL", valueFrom: fromKey("app", "level", true) },
        ],
      },
      [
        "ConfigMap/base env [level]",
        "ConfigMap/app env [level]",
        "ConfigMap/base args [level]",
        "ConfigMap/app args [level]",
      ],
    ],
    [
      "takes what args name and nobody declares for a key of each whole object that can have it",
      {
        args: ["$(S_PASSWORD)"],
        envFrom: [
          { configMapRef: { name: "app" } },
          { prefix: "S_", secretRef: { name: "keys" } },
          { prefix: "T_", secretRef: { name: "tokens" } },
        ],
      },
      [
        "ConfigMap/app env [*]",
        "Secret/keys env [*]",
        "Secret/tokens env [*]",
        "ConfigMap/app args [S_PASSWORD]",
        "Secret/keys args [PASSWORD]",
      ],
    ],
  ];
  for (const [title, parts, expected] of table) {
    it(title, () => {
      assert.deepEqual(said(usesOf(parts)), expected);
    });
  }

  it("names the variables that a key reaches, directly and through others", () => {
    const uses = usesOf({
      args: ["$(URL)"],
      env: [
        { name: "HOST", valueFrom: fromKey("app", "host") },
        { name: "URL", value: "http://$(HOST)" },
      ],
    });
    assert.deepEqual(
      uses.map(({ how, variables }) => [how, variables]),
      [
        ["env", ["HOST", "URL"]],
        ["args", ["URL"]],
      ],
    );
  });

  it("is optional only if everything that is taken of the object is", () => {
    const optional = (second: boolean): boolean | undefined =>
      usesOf({
        env: [
          { name: "A", valueFrom: fromKey("app", "a", true) },
          { name: "B", valueFrom: fromKey("app", "b", second) },
        ],
      })[0]?.optional;
    assert.deepEqual([optional(true), optional(false)], [true, false]);
  });
});

describe("podUses of volumes", () => {
  const table: readonly [
    title: string,
    volume: Volume,
    mount: Partial<VolumeMount>,
    said: readonly string[],
  ][] = [
    ["a whole ConfigMap", appVolume, {}, ["ConfigMap/app volume /etc/app [*]"]],
    [
      "a Secret by its other field",
      { name: "config", secret: { secretName: "keys" } },
      {},
      ["Secret/keys volume /etc/app [*]"],
    ],
    ["listed items", itemsVolume, {}, ["ConfigMap/app volume /etc/app [main extra motd]"]],
    [
      "a projected volume, the sources of one object joined",
      projectedVolume,
      {},
      ["ConfigMap/app volume /etc/app [*]", "Secret/keys volume /etc/app [tls.key]"],
    ],
    ["a volume of another kind", { name: "config", emptyDir: {} }, {}, []],
    [
      "a mount path with a slash at its end",
      appVolume,
      { mountPath: "/etc//x/" },
      ["ConfigMap/app volume /etc/x [*]"],
    ],
    [
      "one key as a file",
      appVolume,
      { subPath: "a.yaml" },
      ["ConfigMap/app subPath /etc/app [a.yaml]"],
    ],
    ["a path below a file", appVolume, { subPath: "a.yaml/b" }, []],
    [
      "a subPath that is the whole volume",
      appVolume,
      { subPath: "./" },
      ["ConfigMap/app volume /etc/app [*]"],
    ],
    [
      "the link to the current version",
      appVolume,
      { subPath: "..data" },
      ["ConfigMap/app subPath /etc/app [*]"],
    ],
    [
      "a file through that link",
      appVolume,
      { subPath: "..data/a" },
      ["ConfigMap/app subPath /etc/app [a]"],
    ],
    [
      "an item by its path",
      itemsVolume,
      { subPath: "conf/main.yaml" },
      ["ConfigMap/app subPath /etc/app [main]"],
    ],
    [
      "a directory of items",
      itemsVolume,
      { subPath: "conf/" },
      ["ConfigMap/app subPath /etc/app [main extra]"],
    ],
    [
      "a directory within",
      itemsVolume,
      { subPath: "./conf/./d" },
      ["ConfigMap/app subPath /etc/app [extra]"],
    ],
    ["an item by its key, which is no path", itemsVolume, { subPath: "main" }, []],
    ["half of a directory's name", itemsVolume, { subPath: "con" }, []],
    [
      "the sources of a projected volume that can be there",
      projectedVolume,
      { subPath: "tls" },
      ["ConfigMap/app subPath /etc/app [tls motd]", "Secret/keys subPath /etc/app [tls.key]"],
    ],
    [
      "an expression of what the spec says",
      appVolume,
      { subPathExpr: "$(NAME).yaml" },
      ["ConfigMap/app subPath /etc/app [web.yaml]"],
    ],
    [
      "an expression of what the node knows",
      appVolume,
      { subPathExpr: "$(POD).yaml" },
      ["ConfigMap/app subPath /etc/app [*]"],
    ],
    [
      "such an expression among items",
      itemsVolume,
      { subPathExpr: "$(POD)" },
      ["ConfigMap/app subPath /etc/app [main extra motd]"],
    ],
  ];
  for (const [title, volume, mount, expected] of table) {
    it(`finds what is shown by ${title}`, () => {
      const env = [
        { name: "NAME", value: "web" },
        { name: "POD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
      ];
      const uses = usesOf({ env, volumes: [volume], volumeMounts: [appMount(mount)] });
      assert.deepEqual(said(uses), expected);
    });
  }

  it("leaves out a volume that no container mounts, and a mount of no volume", () => {
    assert.deepEqual(usesOf({ volumes: [appVolume] }), []);
    assert.deepEqual(usesOf({ volumeMounts: [appMount()] }), []);
  });

  it("keeps several mounts of one volume apart", () => {
    const volumeMounts = [appMount(), appMount({ mountPath: "/motd", subPath: "motd" })];
    assert.deepEqual(said(usesOf({ volumes: [appVolume], volumeMounts })), [
      "ConfigMap/app volume /etc/app [*]",
      "ConfigMap/app subPath /motd [motd]",
    ]);
  });

  it("has a subPathExpr as it is written", () => {
    const volumeMounts = [appMount({ subPathExpr: "$(NAME)" })];
    const [use] = usesOf({ volumes: [appVolume], volumeMounts });
    assert.equal(use?.subPath, "$(NAME)");
  });
});

describe("podUses of containers", () => {
  it("tells init containers from those that stay, and finds ephemeral ones", () => {
    const envFrom = [{ configMapRef: { name: "app", optional: true } }];
    const spec: PodSpec = {
      initContainers: [
        { name: "first", resources: {}, envFrom },
        { name: "stays", resources: {}, envFrom, restartPolicy: "Always" },
      ],
      containers: [
        { name: "app", resources: {} },
        { name: "second", resources: {}, envFrom },
      ],
      ephemeralContainers: [{ name: "debug", resources: {}, envFrom }],
    };
    assert.deepEqual(
      podUses(spec).map(({ container, containerType, path, optional }) => ({
        ...{ container, containerType, path, optional },
      })),
      [
        ["first", "init", "spec.initContainers[0]"],
        ["stays", "sidecar", "spec.initContainers[1]"],
        ["second", "regular", "spec.containers[1]"],
        ["debug", "ephemeral", "spec.ephemeralContainers[0]"],
      ].map(([container, containerType, path]) => ({
        ...{ container, containerType, path, optional: true },
      })),
    );
  });

  it("takes nulls and empty names, which manifests have, for nothing", () => {
    const spec = {
      volumes: [
        null,
        { name: "v", configMap: null },
        { name: "w", projected: { sources: [null] } },
      ],
      initContainers: null,
      containers: [
        null,
        {
          name: "app",
          env: [
            null,
            { name: "A", valueFrom: null },
            { name: "B", valueFrom: { configMapKeyRef: {} } },
          ],
          envFrom: [null, { configMapRef: { name: "" } }],
          volumeMounts: [null, { name: "v", mountPath: "/v" }, { name: "w" }],
          args: [null],
        },
      ],
    };
    assert.deepEqual(podUses(spec as unknown as PodSpec), []);
  });
});
