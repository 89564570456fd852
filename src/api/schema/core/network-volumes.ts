// Volumes on storage systems, as a pod describes them.

import {
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
import { localObjectReference } from "./references.ts";

export const csiVolumeSource: TypeSchema = type(
  "io.k8s.api.core.v1.CSIVolumeSource",
  "A short-lived volume of a CSI driver",
  {
    driver: field(1, string, "Name of the driver", required),
    readOnly: field(2, bool, "Nothing can be written there", pointer),
    fsType: field(3, string, "File system on it", pointer),
    volumeAttributes: field(4, mapOf(string), "Settings for the driver"),
    nodePublishSecretRef: field(5, ref(localObjectReference), "Credentials for mounting", pointer),
  },
);

export const gitRepoVolumeSource: TypeSchema = type(
  "io.k8s.api.core.v1.GitRepoVolumeSource",
  "A clone of a git repository; outdated",
  {
    repository: field(1, string, "Address of the repository", required),
    revision: field(2, string, "Commit to check out"),
    directory: field(3, string, "Where to put it in the volume"),
  },
);

export const iscsiVolumeSource: TypeSchema = type(
  "io.k8s.api.core.v1.ISCSIVolumeSource",
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
    secretRef: field(10, ref(localObjectReference), "Credentials", pointer),
    initiatorName: field(12, string, "Name to connect as", pointer),
  },
);

export const glusterfsVolumeSource: TypeSchema = type(
  "io.k8s.api.core.v1.GlusterfsVolumeSource",
  "A Gluster volume",
  {
    endpoints: field(1, string, "Endpoints object with the servers", required),
    path: field(2, string, "Name of the volume", required),
    readOnly: field(3, bool, "Nothing can be written there"),
  },
);

export const rbdVolumeSource: TypeSchema = type(
  "io.k8s.api.core.v1.RBDVolumeSource",
  "A Ceph block device",
  {
    monitors: field(1, listOf(string), "Addresses of the Ceph monitors", required),
    image: field(2, string, "Name of the image", required),
    fsType: field(3, string, "File system on it"),
    pool: field(4, string, "Pool that has the image", { default: "rbd" }),
    user: field(5, string, "User to connect as", { default: "admin" }),
    keyring: field(6, string, "File with the user's key", { default: "/etc/ceph/keyring" }),
    secretRef: field(7, ref(localObjectReference), "Credentials, instead of the file", pointer),
    readOnly: field(8, bool, "Nothing can be written there"),
  },
);

export const flexVolumeSource: TypeSchema = type(
  "io.k8s.api.core.v1.FlexVolumeSource",
  "A volume of a driver on the node",
  {
    driver: field(1, string, "Name of the driver", required),
    fsType: field(2, string, "File system on it"),
    secretRef: field(3, ref(localObjectReference), "Credentials for the driver", pointer),
    readOnly: field(4, bool, "Nothing can be written there"),
    options: field(5, mapOf(string), "Settings for the driver"),
  },
);

export const cinderVolumeSource: TypeSchema = type(
  "io.k8s.api.core.v1.CinderVolumeSource",
  "A disk of OpenStack",
  {
    volumeID: field(1, string, "Id of the disk", required),
    fsType: field(2, string, "File system on it"),
    readOnly: field(3, bool, "Nothing can be written there"),
    secretRef: field(4, ref(localObjectReference), "How to connect to OpenStack", pointer),
  },
);

export const cephFSVolumeSource: TypeSchema = type(
  "io.k8s.api.core.v1.CephFSVolumeSource",
  "A Ceph file system",
  {
    monitors: field(1, listOf(string), "Addresses of the Ceph monitors", required),
    path: field(2, string, "Directory to mount as the root"),
    user: field(3, string, "User to connect as"),
    secretFile: field(4, string, "File with the user's key"),
    secretRef: field(5, ref(localObjectReference), "Credentials, instead of the file", pointer),
    readOnly: field(6, bool, "Nothing can be written there"),
  },
);

export const azureFileVolumeSource: TypeSchema = type(
  "io.k8s.api.core.v1.AzureFileVolumeSource",
  "A share of Azure Files",
  {
    secretName: field(1, string, "Secret with account and key", required),
    shareName: field(2, string, "Name of the share", required),
    readOnly: field(3, bool, "Nothing can be written there"),
  },
);

export const scaleIOVolumeSource: TypeSchema = type(
  "io.k8s.api.core.v1.ScaleIOVolumeSource",
  "A ScaleIO volume",
  {
    gateway: field(1, string, "Address of the gateway", required),
    system: field(2, string, "The storage system, by name", required),
    secretRef: field(3, ref(localObjectReference), "Credentials", { ...required, pointer: true }),
    sslEnabled: field(4, bool, "Encrypt the connection to the gateway"),
    protectionDomain: field(5, string, "Domain of the volume"),
    storagePool: field(6, string, "Pool of the volume"),
    storageMode: field(7, string, "Thick or thin provisioning", { default: "ThinProvisioned" }),
    volumeName: field(8, string, "Name of the volume"),
    fsType: field(9, string, "File system on it", { default: "xfs" }),
    readOnly: field(10, bool, "Nothing can be written there"),
  },
);

export const storageOSVolumeSource: TypeSchema = type(
  "io.k8s.api.core.v1.StorageOSVolumeSource",
  "A StorageOS volume",
  {
    volumeName: field(1, string, "Name of the volume"),
    volumeNamespace: field(2, string, "Namespace of the volume in StorageOS"),
    fsType: field(3, string, "File system on it"),
    readOnly: field(4, bool, "Nothing can be written there"),
    secretRef: field(5, ref(localObjectReference), "Credentials", pointer),
  },
);
