// ServiceAccount: the identity of the processes in a pod.

import { metadata, typeMeta } from "../meta.ts";
import { bool, byKey, field, listOf, pointer, ref, type TypeSchema, type } from "../schema.ts";
import { localObjectReference, objectReference } from "./references.ts";

export const serviceAccount: TypeSchema = type(
  "io.k8s.api.core.v1.ServiceAccount",
  "An identity for the processes of pods",
  {
    ...typeMeta,
    metadata,
    secrets: field(
      2,
      listOf(ref(objectReference), byKey("name")),
      "Secrets that its pods may use, where that is enforced",
    ),
    imagePullSecrets: field(
      3,
      listOf(ref(localObjectReference)),
      "Credentials for the images of its pods",
    ),
    automountServiceAccountToken: field(
      4,
      bool,
      "Whether pods get a token without asking",
      pointer,
    ),
  },
);
