// Where a container's environment variables come from.

import {
  bool,
  field,
  inlined,
  pointer,
  ref,
  required,
  string,
  type TypeSchema,
  type,
} from "../schema.ts";
import { objectFieldSelector, resourceFieldSelector } from "./downward-api.ts";
import { localObjectReference } from "./references.ts";

const configMapKeySelector: TypeSchema = type(
  "io.k8s.api.core.v1.ConfigMapKeySelector",
  "One key of a ConfigMap",
  {
    ...inlined(1, localObjectReference),
    key: field(2, string, "The key", required),
    optional: field(3, bool, "The container may start without it", pointer),
  },
  { atomic: true },
);

const secretKeySelector: TypeSchema = type(
  "io.k8s.api.core.v1.SecretKeySelector",
  "One key of a Secret",
  {
    ...inlined(1, localObjectReference),
    key: field(2, string, "The key", required),
    optional: field(3, bool, "The container may start without it", pointer),
  },
  { atomic: true },
);

const fileKeySelector: TypeSchema = type(
  "io.k8s.api.core.v1.FileKeySelector",
  "One variable in a file of variables",
  {
    volumeName: field(1, string, "Volume that holds the file", required),
    path: field(2, string, "Of the file in the volume", required),
    key: field(3, string, "The variable in the file", required),
    optional: field(4, bool, "The container may start without it", { ...pointer, default: false }),
  },
  { atomic: true },
);

const envVarSource: TypeSchema = type(
  "io.k8s.api.core.v1.EnvVarSource",
  "Where the value of a variable comes from; one of them",
  {
    fieldRef: field(1, ref(objectFieldSelector), "A field of the pod", pointer),
    resourceFieldRef: field(2, ref(resourceFieldSelector), "A resource of a container", pointer),
    configMapKeyRef: field(3, ref(configMapKeySelector), "A key of a ConfigMap", pointer),
    secretKeyRef: field(4, ref(secretKeySelector), "A key of a Secret", pointer),
    fileKeyRef: field(5, ref(fileKeySelector), "A key in a file of variables", pointer),
  },
);

export const envVar: TypeSchema = type("io.k8s.api.core.v1.EnvVar", "One environment variable", {
  name: field(1, string, "Of the variable", required),
  value: field(2, string, "Text in which $(NAME) stands for other variables"),
  valueFrom: field(3, ref(envVarSource), "Where else the value comes from", pointer),
});

const configMapEnvSource: TypeSchema = type(
  "io.k8s.api.core.v1.ConfigMapEnvSource",
  "A ConfigMap whose keys become variables",
  {
    ...inlined(1, localObjectReference),
    optional: field(2, bool, "The container may start without it", pointer),
  },
);

const secretEnvSource: TypeSchema = type(
  "io.k8s.api.core.v1.SecretEnvSource",
  "A Secret whose keys become variables",
  {
    ...inlined(1, localObjectReference),
    optional: field(2, bool, "The container may start without it", pointer),
  },
);

export const envFromSource: TypeSchema = type(
  "io.k8s.api.core.v1.EnvFromSource",
  "A whole ConfigMap or Secret as variables",
  {
    prefix: field(1, string, "Put before each key"),
    configMapRef: field(2, ref(configMapEnvSource), "The ConfigMap", pointer),
    secretRef: field(3, ref(secretEnvSource), "The Secret", pointer),
  },
);
