// Volumes whose files come from the API: config maps, secrets, tokens and facts about the pod.

import {
  always,
  bool,
  field,
  inlined,
  int32,
  int64,
  listOf,
  mapOf,
  pointer,
  ref,
  required,
  string,
  type TypeSchema,
  type,
} from "../schema.ts";
import { labelSelector } from "../selector.ts";
import { downwardAPIVolumeFile } from "./downward-api.ts";
import { localObjectReference } from "./references.ts";

const keyToPath: TypeSchema = type("io.k8s.api.core.v1.KeyToPath", "One key as a file", {
  key: field(1, string, "The key", required),
  path: field(2, string, "Of the file, relative, without ..", required),
  mode: field(3, int32, "Permissions of the file", pointer),
  user: field(4, int64, "Owner of the file", pointer),
});

export const configMapVolumeSource: TypeSchema = type(
  "io.k8s.api.core.v1.ConfigMapVolumeSource",
  "Files from a ConfigMap",
  {
    ...inlined(1, localObjectReference),
    items: field(
      2,
      listOf(ref(keyToPath)),
      "Which keys, under which paths; all under their own names if none",
    ),
    defaultMode: field(3, int32, "Permissions of the files", pointer),
    optional: field(4, bool, "The pod may start without it", pointer),
    defaultUser: field(5, int64, "Owner of the files", pointer),
  },
);

export const secretVolumeSource: TypeSchema = type(
  "io.k8s.api.core.v1.SecretVolumeSource",
  "Files from a Secret",
  {
    secretName: field(1, string, "Name of the Secret"),
    items: field(
      2,
      listOf(ref(keyToPath)),
      "Which keys, under which paths; all under their own names if none",
    ),
    defaultMode: field(3, int32, "Permissions of the files", pointer),
    optional: field(4, bool, "The pod may start without it", pointer),
    defaultUser: field(5, int64, "Owner of the files", pointer),
  },
);

export const downwardAPIVolumeSource: TypeSchema = type(
  "io.k8s.api.core.v1.DownwardAPIVolumeSource",
  "Files that tell the pod about itself",
  {
    items: field(1, listOf(ref(downwardAPIVolumeFile)), "The files"),
    defaultMode: field(2, int32, "Permissions of the files", pointer),
    defaultUser: field(3, int64, "Owner of the files", pointer),
  },
);

const secretProjection: TypeSchema = type(
  "io.k8s.api.core.v1.SecretProjection",
  "Files from a Secret, among others",
  {
    ...inlined(1, localObjectReference),
    items: field(
      2,
      listOf(ref(keyToPath)),
      "Which keys, under which paths; all under their own names if none",
    ),
    optional: field(4, bool, "The pod may start without it", pointer),
  },
);

const downwardAPIProjection: TypeSchema = type(
  "io.k8s.api.core.v1.DownwardAPIProjection",
  "Files about the pod, among others",
  {
    items: field(1, listOf(ref(downwardAPIVolumeFile)), "The files"),
  },
);

const configMapProjection: TypeSchema = type(
  "io.k8s.api.core.v1.ConfigMapProjection",
  "Files from a ConfigMap, among others",
  {
    ...inlined(1, localObjectReference),
    items: field(
      2,
      listOf(ref(keyToPath)),
      "Which keys, under which paths; all under their own names if none",
    ),
    optional: field(4, bool, "The pod may start without it", pointer),
  },
);

const serviceAccountTokenProjection: TypeSchema = type(
  "io.k8s.api.core.v1.ServiceAccountTokenProjection",
  "A token as a file, kept fresh",
  {
    audience: field(1, string, "Who shall accept the token; the API if empty"),
    expirationSeconds: field(2, int64, "How long a token is good for", pointer),
    path: field(3, string, "Of the file, relative", required),
    user: field(4, int64, "Owner of the file", pointer),
  },
);

const clusterTrustBundleProjection: TypeSchema = type(
  "io.k8s.api.core.v1.ClusterTrustBundleProjection",
  "Certificates to trust as a file",
  {
    name: field(1, string, "Of one bundle", pointer),
    signerName: field(2, string, "All bundles of this signer, instead of one", pointer),
    labelSelector: field(3, ref(labelSelector), "Which bundles of the signer", pointer),
    optional: field(5, bool, "The pod may start without any", pointer),
    path: field(4, string, "Of the file, relative", required),
    user: field(6, int64, "Owner of the file", pointer),
  },
);

const podCertificateProjection: TypeSchema = type(
  "io.k8s.api.core.v1.PodCertificateProjection",
  "A key and certificate for the pod, kept fresh",
  {
    signerName: field(1, string, "Who signs", { required: true }),
    keyType: field(2, string, "Kind of key to make", { required: true }),
    maxExpirationSeconds: field(3, int32, "Longest life of the certificate", pointer),
    credentialBundlePath: field(4, string, "File with key and certificates together"),
    keyPath: field(5, string, "File with the key alone"),
    certificateChainPath: field(6, string, "File with the certificates alone"),
    userAnnotations: field(7, mapOf(string), "Notes handed to the signer"),
    user: field(8, int64, "Owner of the files", pointer),
  },
);

const volumeProjection: TypeSchema = type(
  "io.k8s.api.core.v1.VolumeProjection",
  "One source of files; one of them",
  {
    secret: field(1, ref(secretProjection), "A Secret", pointer),
    downwardAPI: field(2, ref(downwardAPIProjection), "The pod itself", pointer),
    configMap: field(3, ref(configMapProjection), "A ConfigMap", pointer),
    serviceAccountToken: field(
      4,
      ref(serviceAccountTokenProjection),
      "A token of the pod's service account",
      pointer,
    ),
    clusterTrustBundle: field(
      5,
      ref(clusterTrustBundleProjection),
      "Certificates to trust",
      pointer,
    ),
    podCertificate: field(6, ref(podCertificateProjection), "A certificate for the pod", pointer),
  },
);

export const projectedVolumeSource: TypeSchema = type(
  "io.k8s.api.core.v1.ProjectedVolumeSource",
  "Files from several sources in one directory",
  {
    sources: field(1, listOf(ref(volumeProjection)), "The sources", always),
    defaultMode: field(2, int32, "Permissions of the files", pointer),
    defaultUser: field(3, int64, "Owner of the files", pointer),
  },
);
