import { deepEqual, equal, throws } from "node:assert/strict";
import { describe, it } from "node:test";
import type { Pod, PodSpec, ProjectedVolumeSource, VolumeProjection } from "../../../api/types.ts";
import type { TokenDemand } from "../../tokens/token-manager.ts";
import { objectNotFound } from "./key-files.ts";
import { type ProjectedContent, projectedPayload } from "./projected-files.ts";
import { MemoryObjects } from "./testing/memory-objects.ts";
import { podWith } from "./testing/plugin-bench.ts";

interface Made extends ProjectedContent {
  /** "content@mode" and, if it has an owner, "/uid". */
  readonly files: Readonly<Record<string, string>>;
  readonly demands: readonly TokenDemand[];
}

function made(
  sources: VolumeProjection[],
  of: {
    readonly pod?: Pod;
    readonly volume?: Partial<ProjectedVolumeSource>;
    readonly objects?: MemoryObjects;
  } = {},
): Made {
  const { pod = podWith(), volume, objects = new MemoryObjects() } = of;
  const demands: TokenDemand[] = [];
  const content = projectedPayload(
    { sources, defaultMode: 0o644, ...volume },
    {
      pod,
      allocatable: { memory: "16Gi" },
      read: (one) => {
        const found = objects.peek(one);
        if (found === undefined || found === "unknown") throw objectNotFound(one);
        return found;
      },
      token: (demand) => {
        demands.push(demand);
        return Buffer.from("token");
      },
    },
  );
  const files = content.payload.files.map(({ path, data, mode, uid }) => {
    const owner = uid === undefined ? "" : `/${uid}`;
    return [path, `${Buffer.from(data).toString()}@${mode.toString(8)}${owner}`] as const;
  });
  return { ...content, files: Object.fromEntries(files), demands };
}

const token = (more: Partial<VolumeProjection["serviceAccountToken"]> = {}): VolumeProjection => ({
  serviceAccountToken: { path: "token", expirationSeconds: 3600, ...more },
});
const runAs = (...users: readonly (number | undefined)[]): PodSpec =>
  ({
    containers: users.map((runAsUser) => ({ name: "c", securityContext: { runAsUser } })),
  }) as unknown as PodSpec;

describe("a downwardAPI source of a projected volume", () => {
  const pod = podWith(
    {},
    { labels: { key2: "value2", key1: "value1" }, annotations: { a1: "one", a2: 'c\nb\n"a"' } },
  );
  const field = (
    fieldPath: string,
    more: { readonly mode?: number; readonly user?: number } = {},
  ): VolumeProjection => ({
    downwardAPI: { items: [{ path: "file", fieldRef: { fieldPath }, ...more }] },
  });
  const values: readonly [id: string, fieldPath: string, text: string][] = [
    ["E31", "metadata.annotations['a1']", "one"],
    ["E33, D1", "metadata.labels", 'key1="value1"\nkey2="value2"'],
    ["E34, D2", "metadata.annotations", 'a1="one"\na2="c\\nb\\n\\"a\\""'],
    ["E35, D3", "metadata.name", "web"],
    ["E36, D4", "metadata.namespace", "shop"],
  ];
  for (const [id, fieldPath, text] of values) {
    it(`${id}: shows ${fieldPath}`, () => {
      deepEqual(made([field(fieldPath)], { pod }).files, { file: `${text}@644` });
    });
  }

  it("E32: refuses an annotation without a name", () => {
    throws(
      () => made([field("metadata.annotations['']")], { pod }),
      /^Error: sources\[0\] \(downwardAPI\): invalid key subscript in metadata\.annotations\[''\]/,
    );
  });

  const owners: readonly [
    id: string,
    user: number | undefined,
    own: number | undefined,
    by: string,
  ][] = [
    ["E37, D11", 1001, undefined, "/1001"],
    ["E38, D12", undefined, 1002, "/1002"],
    ["E39, D13", 1001, 1002, "/1002"],
    ["E40, D14", undefined, undefined, ""],
  ];
  for (const [id, defaultUser, user, by] of owners) {
    it(`${id}: gives the file to ${by || "nobody"}`, () => {
      const source = field("metadata.name", user === undefined ? {} : { user });
      deepEqual(made([source], { pod, volume: { defaultUser } }).files, { file: `web@644${by}` });
    });
  }

  it("tells of all items that cannot be had", () => {
    const items = ["metadata.whoops", "metadata.nope"].map((fieldPath) => ({
      path: fieldPath,
      fieldRef: { fieldPath },
    }));
    throws(
      () => made([{ downwardAPI: { items } }]),
      new Error(
        "sources[0] (downwardAPI): [unsupported fieldPath: metadata.whoops, unsupported fieldPath: metadata.nope]",
      ),
    );
  });
});

describe("a serviceAccountToken source of a projected volume", () => {
  it("E41, E42: shows the token where it is wanted, with the default mode", () => {
    const source = token({ path: "dir/my-token", audience: "vault", expirationSeconds: 60 });
    const { files, demands } = made([source]);
    deepEqual(files, { "dir/my-token": "token@644" });
    deepEqual(demands, [
      {
        namespace: "shop",
        name: "web",
        audiences: ["vault"],
        expirationSeconds: 60,
        pod: { name: "web", uid: "pod-1" },
      },
    ]);
  });

  it("E43, E44: asks for no audience and no time of its own; the server knows the defaults", () => {
    const [demand] = made([token({ audience: "", expirationSeconds: undefined })]).demands;
    deepEqual(demand?.audiences, []);
    equal(demand?.expirationSeconds, undefined);
  });

  it("E45: refuses a volume without a default mode", () => {
    throws(
      () => made([token()], { volume: { defaultMode: undefined } }),
      new Error("no defaultMode used, not even the default value for it"),
    );
  });

  interface Owner {
    readonly id: string;
    readonly podUsers?: readonly (number | undefined)[];
    readonly fsGroup?: number;
    readonly defaultUser?: number;
    readonly user?: number;
    readonly file: string;
  }
  const owners: readonly Owner[] = [
    { id: "E46", podUsers: [1000, 1000], file: "token@600/1000" },
    { id: "E47", defaultUser: 1001, file: "token@600/1001" },
    { id: "E48", user: 1002, file: "token@600/1002" },
    { id: "E49", podUsers: [1000], defaultUser: 1001, file: "token@600/1001" },
    { id: "E50", podUsers: [1000], defaultUser: 1001, user: 1002, file: "token@600/1002" },
    { id: "E51", fsGroup: 3000, file: "token@600" },
    { id: "E52", podUsers: [1000], fsGroup: 3000, file: "token@600/1000" },
    { id: "E53", podUsers: [1000], file: "token@600/1000" },
    { id: "two users", podUsers: [1000, 1001], file: "token@644" },
    { id: "one without a user", podUsers: [1000, undefined], file: "token@644" },
  ];
  for (const { id, podUsers = [], fsGroup, defaultUser, user, file } of owners) {
    it(`${id}: is ${file}`, () => {
      const securityContext = fsGroup === undefined ? {} : { fsGroup };
      const pod = podWith({ ...runAs(...podUsers), securityContext });
      const source = token(user === undefined ? {} : { user });
      deepEqual(made([source], { pod, volume: { defaultUser } }).files, { token: file });
    });
  }

  it("belongs to the pod's user unless a container has another", () => {
    const securityContext = { runAsUser: 1000 };
    const pod = (...users: readonly (number | undefined)[]): Pod =>
      podWith({ ...runAs(...users), securityContext });
    deepEqual(made([token()], { pod: pod(undefined, 1000) }).files, { token: "token@600/1000" });
    deepEqual(made([token()], { pod: pod(undefined, 7) }).files, { token: "token@644" });
  });
});

describe("projectedPayload", () => {
  function twoMaps(): MemoryObjects {
    const objects = new MemoryObjects();
    objects.configMap("base", { color: "red", size: "1" });
    objects.configMap("over", { color: "blue" });
    return objects;
  }
  const base: VolumeProjection = { configMap: { name: "base" } };
  const over: VolumeProjection = { configMap: { name: "over" } };

  it("Z20: shows the later of two sources with the same key, and tells of it", () => {
    const { files, warnings } = made([base, over], { objects: twoMaps() });
    deepEqual(files, { color: "blue@644", size: "1@644" });
    deepEqual(warnings, [
      '"color" of sources[0] (configMap "base") is hidden by sources[1] (configMap "over")',
    ]);
  });

  it("Z20: notices equal paths that are spelled differently", () => {
    const item = (path: string): VolumeProjection => ({
      downwardAPI: { items: [{ path, fieldRef: { fieldPath: "metadata.name" } }] },
    });
    const { files, warnings } = made([item("a//b"), item("a/b")]);
    deepEqual(files, { "a/b": "web@644" });
    equal(warnings.length, 1);
  });

  for (const [order, sources] of [
    ["after", [base, token({ path: "color" })]],
    ["before", [token({ path: "color" }), base]],
  ] as const) {
    it(`Z20: refuses a token ${order} a file of the same path`, () => {
      throws(
        () => made([...sources], { objects: twoMaps() }),
        /^Error: sources\[1\] \(.*\): Cannot project "color": sources\[0\] \(.*\) is there already$/,
      );
    });
  }

  it("Z20: refuses a file that is a directory for another source", () => {
    throws(
      () => made([base, token({ path: "color/token" })], { objects: twoMaps() }),
      /Cannot project "color\/token": "color" is a file in the same volume/,
    );
  });

  it("refuses two items of one source with the same path", () => {
    const items = [
      { key: "color", path: "x" },
      { key: "size", path: "x" },
    ];
    throws(
      () => made([{ configMap: { name: "base", items } }], { objects: twoMaps() }),
      /^Error: sources\[0\] \(configMap "base"\): Cannot project "x": it is the same file/,
    );
  });

  it("Z21: names every source that failed", () => {
    const sources: VolumeProjection[] = [
      { configMap: { name: "none" } },
      base,
      { secret: { name: "gone" } },
      { configMap: { name: "base", items: [{ key: "zab", path: "zab" }] } },
    ];
    throws(
      () => made(sources, { objects: twoMaps() }),
      new Error(
        '[sources[0] (configMap "none"): configmap "none" not found, sources[2] (secret "gone"): secret "gone" not found, sources[3] (configMap "base"): configmap references non-existent config key: zab]',
      ),
    );
  });

  for (const kind of ["clusterTrustBundle", "podCertificate"] as const) {
    it(`says that it cannot show a ${kind}`, () => {
      const source = { [kind]: { path: "x" } } as unknown as VolumeProjection;
      throws(() => made([source]), new Error(`sources[0]: ${kind} is not supported by Driftless`));
    });
  }

  it("shows nothing for no sources", () => {
    deepEqual(made([], { volume: { sources: null } }).files, {});
  });
});
