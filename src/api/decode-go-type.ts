// What the API calls the types of fields when it complains about a value: the names of Go.

import type { ScalarName, TypeSchema, ValueSchema } from "./schema/schema.ts";

const scalars: Readonly<Record<ScalarName, string>> = {
  string: "string",
  bool: "bool",
  int32: "int32",
  int64: "int64",
  double: "float64",
  bytes: "[]uint8",
  time: "v1.Time",
  microTime: "v1.MicroTime",
  quantity: "resource.Quantity",
  intOrString: "intstr.IntOrString",
  json: "interface {}",
};

/** Types whose Go struct embeds another one: its name is part of the path in messages, although not of the JSON. */
const embedded: ReadonlyMap<string, string> = new Map([
  ["ConfigMapEnvSource", "LocalObjectReference"],
  ["ConfigMapKeySelector", "LocalObjectReference"],
  ["ConfigMapProjection", "LocalObjectReference"],
  ["ConfigMapVolumeSource", "LocalObjectReference"],
  ["EphemeralContainer", "EphemeralContainerCommon"],
  ["PersistentVolumeSpec", "PersistentVolumeSource"],
  ["Probe", "ProbeHandler"],
  ["SecretEnvSource", "LocalObjectReference"],
  ["SecretKeySelector", "LocalObjectReference"],
  ["SecretProjection", "LocalObjectReference"],
  ["Volume", "VolumeSource"],
]);

/** `[]v1.Container`, `map[string]string` … Go's names for single strings (`v1.PullPolicy`) are not in the tables. */
export function goTypeName(schema: ValueSchema): string {
  switch (schema.is) {
    case "scalar":
      return scalars[schema.scalar];
    case "object":
      return schema.type().name.split(".").slice(-2).join(".");
    case "list":
      return `[]${goTypeName(schema.items)}`;
    case "map":
      return isResourceList(schema.values)
        ? "v1.ResourceList"
        : `map[string]${goTypeName(schema.values)}`;
  }
}

/** `Container` */
export function goStructName(type: TypeSchema): string {
  return type.name.slice(type.name.lastIndexOf(".") + 1);
}

/** The steps that a field of an embedded struct adds to the path before its own name. */
export function embeddedStruct(type: TypeSchema): string | undefined {
  return embedded.get(goStructName(type));
}

function isResourceList(values: ValueSchema): boolean {
  return values.is === "scalar" && values.scalar === "quantity";
}
