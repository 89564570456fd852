import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonValue } from "../json.ts";
import { kindOf, kinds, standaloneTypes, typeOf } from "../kinds.ts";
import { reachableTypes } from "./reachable.ts";
import type { FieldSchema, ScalarName, TypeSchema, ValueSchema } from "./schema.ts";

const types: readonly TypeSchema[] = reachableTypes(standaloneTypes);

interface Place {
  readonly at: string;
  readonly type: TypeSchema;
  readonly field: FieldSchema;
}

const places: readonly Place[] = types.flatMap((type) =>
  [...type.fields.values()].map((field) => ({ at: `${type.name}.${field.name}`, type, field })),
);

/** Where the rule is broken; the assertion shows all of them at once. */
function offenders(isBroken: (place: Place) => boolean): string[] {
  return places.filter(isBroken).map(({ at }) => at);
}

function isOurs(type: TypeSchema): boolean {
  return type.name.startsWith("dev.driftless.");
}

/** Lists of all kinds are made alike. */
function isList(type: TypeSchema): boolean {
  return type.name.endsWith("List");
}

function fieldOf(type: TypeSchema | undefined, name: string): FieldSchema {
  const field = type?.fields.get(name);
  assert.ok(field, `${type?.name} has no field ${name}`);
  return field;
}

function innerType(value: ValueSchema): TypeSchema | undefined {
  return value.is === "object" ? value.type() : undefined;
}

/** Follows a path such as `spec.containers` through objects and items of lists. */
function typeAt(type: TypeSchema | undefined, path: string): TypeSchema | undefined {
  return path.split(".").reduce<TypeSchema | undefined>((current, name) => {
    const { value } = fieldOf(current, name);
    return innerType(value.is === "list" ? value.items : value);
  }, type);
}

const isText = (value: JsonValue): boolean => typeof value === "string";

const isOfScalar: Readonly<Record<ScalarName, (value: JsonValue) => boolean>> = {
  bool: (value) => typeof value === "boolean",
  bytes: isText,
  double: (value) => typeof value === "number",
  int32: Number.isInteger,
  int64: Number.isInteger,
  intOrString: (value) => isText(value) || Number.isInteger(value),
  json: () => true,
  microTime: isText,
  quantity: isText,
  string: isText,
  time: isText,
};

describe("protobuf numbers", () => {
  test("no two fields of a message share one", () => {
    for (const type of types) {
      const paths = [...type.fields.values()]
        .filter((field) => field.number !== 0)
        .map((field) => [...field.within, field.number].join("."));
      assert.deepEqual(
        paths.toSorted(),
        [...new Set(paths)].toSorted(),
        `${type.name} uses a number twice`,
      );
    }
  });

  test("an inlined message does not share its number with a field beside it", () => {
    for (const type of types) {
      const fields = [...type.fields.values()];
      const direct = new Set(fields.filter((f) => f.within.length === 0).map((f) => f.number));
      const inlined = fields.flatMap((field) => field.within.slice(0, 1));
      assert.deepEqual(
        inlined.filter((number) => direct.has(number)),
        [],
        type.name,
      );
    }
  });

  test("only kind and apiVersion have none, except in our own kinds, where nothing has one", () => {
    const isUnnumbered = ({ type, field }: Place): boolean =>
      isOurs(type) || field.name === "apiVersion" || field.name === "kind";

    assert.deepEqual(
      offenders((place) => place.field.number === 0 && !isUnnumbered(place)),
      [],
    );
    assert.deepEqual(
      offenders(({ type, field }) => isOurs(type) && !isList(type) && field.number !== 0),
      [],
    );
  });

  test("fields that JSON shows in the object around them keep the way to their message", () => {
    const volume = typeAt(kindOf("v1", "Pod")?.schema, "spec.volumes");
    const configMap = fieldOf(volume, "configMap");
    const name = fieldOf(innerType(configMap.value), "name");

    assert.deepEqual([configMap.within, configMap.number], [[2], 19]);
    assert.deepEqual([name.within, name.number], [[1], 1]);
  });

  test("a ConfigMap, a Secret and metadata have the published numbers", () => {
    const numbers = (type: TypeSchema | undefined, names: readonly string[]): number[] =>
      names.map((name) => fieldOf(type, name).number);
    const configMap = kindOf("v1", "ConfigMap")?.schema;
    const secret = kindOf("v1", "Secret")?.schema;

    assert.deepEqual(
      numbers(configMap, ["metadata", "data", "binaryData", "immutable"]),
      [1, 2, 3, 4],
    );
    assert.deepEqual(
      numbers(secret, ["metadata", "data", "type", "stringData", "immutable"]),
      [1, 2, 3, 4, 5],
    );
    assert.deepEqual(
      numbers(typeAt(configMap, "metadata"), ["name", "namespace", "uid", "managedFields"]),
      [1, 3, 5, 17],
    );
    assert.deepEqual(
      numbers(typeAt(configMap, "metadata.ownerReferences"), ["apiVersion", "kind", "name", "uid"]),
      [5, 1, 3, 4],
    );
  });
});

describe("flags", () => {
  test("an object is written even if it is empty, or absence has a meaning", () => {
    assert.deepEqual(
      offenders(({ field: { value, pointer, alwaysEmit } }) => {
        return value.is === "object" && pointer !== true && alwaysEmit !== true;
      }),
      [],
    );
  });

  test("a list or map is never a pointer", () => {
    const isCollection = ({ value }: FieldSchema): boolean =>
      value.is === "list" || value.is === "map";

    assert.deepEqual(
      offenders(({ field }) => isCollection(field) && field.pointer === true),
      [],
    );
  });

  test("what is required is always written, but for text that must not be empty", () => {
    assert.deepEqual(
      offenders(({ field: { required, alwaysEmit, value } }) => {
        const isText = value.is === "scalar" && value.scalar === "string";
        return required === true && alwaysEmit !== true && !isText;
      }),
      [],
    );
  });

  test("a default has the type of its field", () => {
    assert.deepEqual(
      offenders(({ field: { value, default: given } }) => {
        if (given === undefined) return false;
        return value.is !== "scalar" || !isOfScalar[value.scalar](given);
      }),
      [],
    );
  });

  test("the default of a field with documented values is one of them", () => {
    assert.deepEqual(
      offenders(({ field: { value, default: given } }) => {
        if (value.is !== "scalar" || value.values === undefined || given === undefined)
          return false;
        return typeof given !== "string" || !value.values.includes(given);
      }),
      [],
    );
  });

  test("keys to retain are only asked for where there are keys", () => {
    assert.deepEqual(
      offenders(({ field: { value, retainKeys } }) => {
        const item = value.is === "list" ? value.items : value;
        return retainKeys === true && item.is !== "object";
      }),
      [],
    );
  });

  test("a container's resources are always written and its probes only if they were sent", () => {
    const container = typeAt(kindOf("v1", "Pod")?.schema, "spec.containers");

    assert.equal(fieldOf(container, "resources").alwaysEmit, true);
    assert.equal(fieldOf(container, "resources").pointer, undefined);
    assert.equal(fieldOf(container, "livenessProbe").alwaysEmit, undefined);
    assert.equal(fieldOf(container, "livenessProbe").pointer, true);
  });
});

describe("lists", () => {
  const lists = places.flatMap(({ at, field }) =>
    field.value.is === "list" ? [{ at, list: field.value }] : [],
  );

  test("the keys of a list are scalar fields of its items", () => {
    for (const { at, list } of lists) {
      for (const key of list.keys) {
        const { value } = fieldOf(innerType(list.items), key);
        assert.equal(value.is, "scalar", `${at}: ${key}`);
      }
    }
  });

  test("items are merged by one of their fields, or as a set if they are scalars", () => {
    for (const { at, list } of lists) {
      if (list.mergeKey === "") continue;
      if (list.mergeKey === "*") assert.equal(list.items.is, "scalar", at);
      else fieldOf(innerType(list.items), list.mergeKey);
    }
  });

  test("only lists of objects have keys, and only lists of scalars are sets", () => {
    for (const { at, list } of lists) {
      assert.equal(list.listType === "map", list.keys.length > 0, at);
      if (list.listType === "map") assert.equal(list.items.is, "object", at);
      if (list.listType === "set") assert.equal(list.items.is, "scalar", at);
    }
  });

  test("ports of containers are named by number and protocol, and merged by number", () => {
    const container = typeAt(kindOf("v1", "Pod")?.schema, "spec.containers");
    const { value } = fieldOf(container, "ports");

    assert.ok(value.is === "list");
    assert.deepEqual(value.keys, ["containerPort", "protocol"]);
    assert.equal(value.mergeKey, "containerPort");
  });
});

describe("words", () => {
  const texts = [
    ...types.map((type) => [type.name, type.about] as const),
    ...places.map(({ at, field }) => [at, field.about] as const),
  ];

  test("every type and field is described by a short phrase without a full stop", () => {
    const isBad = (about: string): boolean =>
      about.trim() === "" || about.trim() !== about || about.length > 90 || /[^.]\.$/.test(about);

    assert.deepEqual(
      texts.filter(([, about]) => isBad(about)),
      [],
    );
  });

  test("a description cannot end the comment that it becomes", () => {
    assert.deepEqual(
      texts.filter(([, about]) => about.includes("*/")),
      [],
    );
  });

  test("documented values are sorted and different", () => {
    for (const { at, field } of places) {
      const value = field.value.is === "list" ? field.value.items : field.value;
      if (value.is !== "scalar" || value.values === undefined) continue;
      assert.deepEqual(value.values, [...new Set(value.values)].toSorted(), at);
    }
  });

  test("no two types have the same name", () => {
    const names = types.map((type) => type.name);

    assert.deepEqual(
      names.filter((name, index) => names.indexOf(name) !== index),
      [],
    );
  });
});

describe("kinds", () => {
  test("every kind starts with kind, apiVersion and metadata", () => {
    for (const kind of kinds) {
      assert.deepEqual(
        [...kind.schema.fields.keys()].slice(0, 3),
        ["kind", "apiVersion", "metadata"],
        kind.kind,
      );
    }
  });

  test("every kind with a status subresource has a status", () => {
    for (const kind of kinds) {
      const hasSubresource = kind.subresources.some((sub) => sub.name === "status");
      if (hasSubresource) fieldOf(kind.schema, "status");
    }
  });

  test("a kind that can be listed has a list type of its objects", () => {
    const list = typeOf("apps/v1", "DeploymentList");

    assert.equal(list?.name, "io.k8s.api.apps.v1.DeploymentList");
    assert.equal(typeAt(list, "items"), kindOf("apps/v1", "Deployment")?.schema);
    assert.equal(typeOf("authorization.k8s.io/v1", "SubjectAccessReviewList"), undefined);
  });

  test("what subresources take can be found by name", () => {
    for (const [apiVersion, kind] of [
      ["autoscaling/v1", "Scale"],
      ["policy/v1", "Eviction"],
      ["authentication.k8s.io/v1", "TokenRequest"],
      ["v1", "Binding"],
      ["v1", "PodExecOptions"],
    ] as const) {
      assert.ok(typeOf(apiVersion, kind)?.name.endsWith(`.${kind}`), kind);
    }
  });

  test("DeleteOptions may carry any served apiVersion, and none that is not", () => {
    assert.ok(typeOf("v1", "DeleteOptions"));
    assert.ok(typeOf("apps/v1", "DeleteOptions"));
    assert.ok(typeOf("meta.k8s.io/v1", "DeleteOptions"));
    assert.equal(typeOf("apps/v9", "DeleteOptions"), undefined);
  });

  test("events of both groups are different types", () => {
    assert.ok(kindOf("v1", "Event")?.schema.fields.has("involvedObject"));
    assert.ok(kindOf("events.k8s.io/v1", "Event")?.schema.fields.has("regarding"));
  });
});
