import { deepEqual, throws } from "node:assert/strict";
import { describe, it } from "node:test";
import type { KeyToPath } from "../../../api/types.ts";
import type { ObjectKind } from "../../objects/config-object.ts";
import { keyFiles } from "./key-files.ts";
import { projectedPayload } from "./projected-files.ts";
import { MemoryObjects } from "./testing/memory-objects.ts";
import { podWith } from "./testing/plugin-bench.ts";
import type { VolumeFiles } from "./volume-files.ts";

interface Case {
  readonly ids: {
    readonly ConfigMap?: string;
    readonly Secret?: string;
    readonly inProjected: string;
  };
  readonly name: string;
  /** Only ConfigMaps have it. */
  readonly binary?: Readonly<Record<string, string>>;
  readonly data?: Readonly<Record<string, string>>;
  readonly items?: readonly KeyToPath[];
  readonly isOptional?: boolean;
  readonly user?: number;
  /** "content@mode" and, if it has an owner, "/uid". */
  readonly files: Readonly<Record<string, string>>;
}

const data = { foo: "foo", bar: "bar" };
const item = (key: string, path: string, more: Partial<KeyToPath> = {}): KeyToPath => ({
  key,
  path,
  ...more,
});

const cases: readonly Case[] = [
  {
    ids: { ConfigMap: "B1", Secret: "C1", inProjected: "E1, E16" },
    name: "shows all keys",
    files: { foo: "foo@644", bar: "bar@644" },
  },
  {
    ids: { ConfigMap: "B2", inProjected: "E17" },
    name: "shows binary keys",
    data: {},
    binary: data,
    files: { foo: "foo@644", bar: "bar@644" },
  },
  {
    ids: { ConfigMap: "B3", inProjected: "E18" },
    name: "shows keys of both sorts",
    data: { bar: "bar" },
    binary: { foo: "foo" },
    files: { foo: "foo@644", bar: "bar@644" },
  },
  {
    ids: { ConfigMap: "B4", Secret: "C2", inProjected: "E2, E19" },
    name: "shows only listed keys, where they are wanted",
    items: [item("foo", "path/to/foo.txt")],
    files: { "path/to/foo.txt": "foo@644" },
  },
  {
    ids: { ConfigMap: "B5, B6", Secret: "C3, C4", inProjected: "E3, E4, E20, E21" },
    name: "makes directories as deep as asked",
    items: [item("foo", "path/to/1/2/3/foo.txt")],
    files: { "path/to/1/2/3/foo.txt": "foo@644" },
  },
  {
    ids: { ConfigMap: "B7", Secret: "C5", inProjected: "E5, E22" },
    name: "makes several directories",
    items: [
      item("foo", "path/to/1/2/3/foo.txt"),
      item("bar", "another/path/to/the/esteemed/bar.bin"),
    ],
    files: {
      "path/to/1/2/3/foo.txt": "foo@644",
      "another/path/to/the/esteemed/bar.bin": "bar@644",
    },
  },
  {
    ids: { ConfigMap: "B9", Secret: "C7", inProjected: "E7, E24" },
    name: "gives an item its own mode",
    items: [item("foo", "foo.txt", { mode: 0o400 }), item("bar", "bar.bin", { mode: 0o400 })],
    files: { "foo.txt": "foo@400", "bar.bin": "bar@400" },
  },
  {
    ids: { ConfigMap: "B10", Secret: "C8", inProjected: "E8, E25" },
    name: "gives an item without a mode the default",
    items: [item("foo", "foo.txt"), item("bar", "bar.bin")],
    files: { "foo.txt": "foo@644", "bar.bin": "bar@644" },
  },
  {
    ids: { ConfigMap: "B11", Secret: "C9", inProjected: "E9, E26" },
    name: "shows nothing for an optional key that is not there",
    items: [item("zab", "path/to/foo.txt")],
    isOptional: true,
    files: {},
  },
  {
    ids: { ConfigMap: "B12", Secret: "C10", inProjected: "E10, E27" },
    name: "gives files to the default user",
    items: [item("foo", "foo.txt")],
    user: 1001,
    files: { "foo.txt": "foo@644/1001" },
  },
  {
    ids: { ConfigMap: "B13", Secret: "C11", inProjected: "E11, E28" },
    name: "gives a file to its own user",
    items: [item("foo", "foo.txt", { user: 1002 })],
    files: { "foo.txt": "foo@644/1002" },
  },
  {
    ids: { ConfigMap: "B14", Secret: "C12", inProjected: "E12, E29" },
    name: "prefers a file's own user to the default",
    items: [item("foo", "foo.txt", { user: 1002 }), item("bar", "bar.bin")],
    user: 1001,
    files: { "foo.txt": "foo@644/1002", "bar.bin": "bar@644/1001" },
  },
  {
    ids: { ConfigMap: "B15", Secret: "C13", inProjected: "E13, E30" },
    name: "takes an empty list for no list",
    items: [],
    files: { foo: "foo@644", bar: "bar@644" },
  },
  {
    ids: { ConfigMap: "B16", Secret: "C14", inProjected: "E14, E30" },
    name: "gives all keys to the default user",
    items: [],
    user: 1001,
    files: { foo: "foo@644/1001", bar: "bar@644/1001" },
  },
  {
    // The switch for users is the server's: a field that is off does not get as far as here.
    ids: { ConfigMap: "B17", Secret: "C15, C16, C17", inProjected: "E15, E30" },
    name: "gives files to nobody if nobody is named",
    items: [item("foo", "foo.txt")],
    files: { "foo.txt": "foo@644" },
  },
];

function objectsOf(kind: ObjectKind, { data: text = data, binary }: Partial<Case>): MemoryObjects {
  const objects = new MemoryObjects();
  const coded = Object.entries(binary ?? {}).map(([key, value]) => [key, btoa(value)] as const);
  if (kind === "Secret") objects.secret("app", text);
  else objects.configMap("app", text, Object.fromEntries(coded));
  return objects;
}

function reader(objects: MemoryObjects): Parameters<typeof keyFiles>[1] {
  return (of) => {
    const found = objects.peek(of);
    if (found === "unknown" || found === undefined) throw new Error("it is not there");
    return found;
  };
}

function listed(files: VolumeFiles): Record<string, string> {
  return Object.fromEntries(
    files.map(([path, { data: bytes, mode, uid }]) => {
      const owner = uid === undefined ? "" : `/${uid}`;
      return [path, `${Buffer.from(bytes).toString()}@${mode.toString(8)}${owner}`];
    }),
  );
}

for (const kind of ["ConfigMap", "Secret"] as const) {
  const of = { kind, namespace: "shop", name: "app" } as const;
  describe(`keyFiles of a ${kind}`, () => {
    for (const one of cases) {
      if (one.ids[kind] === undefined) continue;
      const { items, isOptional = false, user } = one;
      const objects = objectsOf(kind, one);
      it(`${one.ids[kind]}: ${one.name}`, () => {
        const files = keyFiles({ of, items, isOptional }, reader(objects), { mode: 0o644, user });
        deepEqual(listed(files), one.files);
      });

      it(`${one.ids.inProjected}: ${one.name}, as a source of a projected volume`, () => {
        const source = { name: "app", items: items && [...items], optional: isOptional };
        const { payload } = projectedPayload(
          {
            sources: [kind === "ConfigMap" ? { configMap: source } : { secret: source }],
            defaultMode: 0o644,
            defaultUser: user,
          },
          {
            pod: podWith(),
            allocatable: {},
            read: reader(objects),
            token: () => new Uint8Array(),
          },
        );
        deepEqual(listed(payload.files.map((file) => [file.path, file])), one.files);
      });
    }

    it(`${kind === "ConfigMap" ? "B8, E23" : "C6, E6"}: refuses a required key that is not there`, () => {
      const text =
        kind === "ConfigMap"
          ? "configmap references non-existent config key: zab"
          : "references non-existent secret key: zab";
      const source = { of, items: [item("zab", "path")], isOptional: false };
      const read = reader(objectsOf(kind, {}));
      throws(() => keyFiles(source, read, { mode: 0o644, user: undefined }), new Error(text));
    });

    it("refuses a volume without a default mode", () => {
      const source = { of, items: undefined, isOptional: false };
      const read = reader(objectsOf(kind, {}));
      throws(
        () => keyFiles(source, read, { mode: undefined, user: undefined }),
        new Error("no defaultMode used, not even the default value for it"),
      );
    });
  });
}
