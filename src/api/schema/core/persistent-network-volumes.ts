// Volumes on storage systems, as a persistent volume describes them.

import {
  always,
  bool,
  field,
  int32,
  listOf,
  mapOf,
  pointer,
  ref,
  required,
  string,
  type TypeSchema,
  type,
} from "../schema.ts";
import { objectReference, secretReference } from "./references.ts";

export const csiPersistentVolumeSource: TypeSchema = type(
  "io.k8s.api.core.v1.CSIPersistentVolumeSource",
  "A volume of a CSI driver",
  {
    driver: field(1, string, "Name of the driver", required),
    volumeHandle: field(2, string, "Id of the volume at the driver", required),
    readOnly: field(3, bool, "Nothing can be written there"),
    fsType: field(4, string, "File system on it"),
    volumeAttributes: field(5, mapOf(string), "Settings from the volume's creation"),
    controllerPublishSecretRef: field(
      6,
      ref(secretReference),
      "Credentials for attaching",
      pointer,
    ),
    nodeStageSecretRef: field(
      7,
      ref(secretReference),
      "Credentials for preparing on a node",
      pointer,
    ),
    nodePublishSecretRef: field(8, ref(secretReference), "Credentials for mounting", pointer),
    controllerExpandSecretRef: field(9, ref(secretReference), "Credentials for enlarging", pointer),
    nodeExpandSecretRef: field(
      10,
      ref(secretReference),
      "Credentials for enlarging on a node",
      pointer,
    ),
  },
);

export const glusterfsPersistentVolumeSource: TypeSchema = type(
  "io.k8s.api.core.v1.GlusterfsPersistentVolumeSource",
  "A Gluster volume",
  {
    endpoints: field(1, string, "Endpoints object with the servers", required),
    path: field(2, string, "Name of the volume", required),
    readOnly: field(3, bool, "Nothing can be written there"),
    endpointsNamespace: field(
      4,
      string,
      "Where the endpoints live; the claim's namespace if absent",
      pointer,
    ),
  },
);

export const rbdPersistentVolumeSource: TypeSchema = type(
  "io.k8s.api.core.v1.RBDPersistentVolumeSource",
  "A Ceph block device",
  {
    monitors: field(1, listOf(string), "Addresses of the Ceph monitors", required),
    image: field(2, string, "Name of the image", required),
    fsType: field(3, string, "File system on it"),
    pool: field(4, string, "Pool that has the image", { default: "rbd" }),
    user: field(5, string, "User to connect as", { default: "admin" }),
    keyring: field(6, string, "File with the user's key", { default: "/etc/ceph/keyring" }),
    secretRef: field(7, ref(secretReference), "Credentials, instead of the file", pointer),
    readOnly: field(8, bool, "Nothing can be written there"),
  },
);

export const iscsiPersistentVolumeSource: TypeSchema = type(
  "io.k8s.api.core.v1.ISCSIPersistentVolumeSource",
  "A disk on iSCSI",
  {
    targetPortal: field(1, string, "Address of the target", required),
    iqn: field(2, string, "Name of the target", required),
    lun: field(3, int32, "Number of the unit", required),
    iscsiInterface: field(4, string, "Interface to connect through", { default: "default" }),
    fsType: field(5, string, "File system on it"),
    readOnly: field(6, bool, "Nothing can be written there"),
    portals: field(7, listOf(string), "Further addresses of the target"),
    chapAuthDiscovery: field(8, bool, "Authenticate when looking for targets"),
    chapAuthSession: field(11, bool, "Authenticate when connecting"),
    secretRef: field(10, ref(secretReference), "Credentials", pointer),
    initiatorName: field(12, string, "Name to connect as", pointer),
  },
);

export const cinderPersistentVolumeSource: TypeSchema = type(
  "io.k8s.api.core.v1.CinderPersistentVolumeSource",
  "A disk of OpenStack",
  {
    volumeID: field(1, string, "Id of the disk", required),
    fsType: field(2, string, "File system on it"),
    readOnly: field(3, bool, "Nothing can be written there"),
    secretRef: field(4, ref(secretReference), "How to connect to OpenStack", pointer),
  },
);

export const cephFSPersistentVolumeSource: TypeSchema = type(
  "io.k8s.api.core.v1.CephFSPersistentVolumeSource",
  "A Ceph file system",
  {
    monitors: field(1, listOf(string), "Addresses of the Ceph monitors", required),
    path: field(2, string, "Directory to mount as the root"),
    user: field(3, string, "User to connect as"),
    secretFile: field(4, string, "File with the user's key"),
    secretRef: field(5, ref(secretReference), "Credentials, instead of the file", pointer),
    readOnly: field(6, bool, "Nothing can be written there"),
  },
);

export const flexPersistentVolumeSource: TypeSchema = type(
  "io.k8s.api.core.v1.FlexPersistentVolumeSource",
  "A volume of a driver on the node",
  {
    driver: field(1, string, "Name of the driver", required),
    fsType: field(2, string, "File system on it"),
    secretRef: field(3, ref(secretReference), "Credentials for the driver", pointer),
    readOnly: field(4, bool, "Nothing can be written there"),
    options: field(5, mapOf(string), "Settings for the driver"),
  },
);

export const azureFilePersistentVolumeSource: TypeSchema = type(
  "io.k8s.api.core.v1.AzureFilePersistentVolumeSource",
  "A share of Azure Files",
  {
    secretName: field(1, string, "Secret with account and key", required),
    shareName: field(2, string, "Name of the share", required),
    readOnly: field(3, bool, "Nothing can be written there"),
    secretNamespace: field(4, string, "Where the Secret lives; the claim's namespace if absent", {
      ...always,
      pointer: true,
    }),
  },
);

export const scaleIOPersistentVolumeSource: TypeSchema = type(
  "io.k8s.api.core.v1.ScaleIOPersistentVolumeSource",
  "A ScaleIO volume",
  {
    gateway: field(1, string, "Address of the gateway", required),
    system: field(2, string, "The storage system, by name", required),
    secretRef: field(3, ref(secretReference), "Credentials", { ...required, pointer: true }),
    sslEnabled: field(4, bool, "Encrypt the connection to the gateway"),
    protectionDomain: field(5, string, "Domain of the volume"),
    storagePool: field(6, string, "Pool of the volume"),
    storageMode: field(7, string, "Thick or thin provisioning", { default: "ThinProvisioned" }),
    volumeName: field(8, string, "Name of the volume"),
    fsType: field(9, string, "File system on it", { default: "xfs" }),
    readOnly: field(10, bool, "Nothing can be written there"),
  },
);

export const storageOSPersistentVolumeSource: TypeSchema = type(
  "io.k8s.api.core.v1.StorageOSPersistentVolumeSource",
  "A StorageOS volume",
  {
    volumeName: field(1, string, "Name of the volume"),
    volumeNamespace: field(2, string, "Namespace of the volume in StorageOS"),
    fsType: field(3, string, "File system on it"),
    readOnly: field(4, bool, "Nothing can be written there"),
    secretRef: field(5, ref(objectReference), "Credentials", pointer),
  },
);
