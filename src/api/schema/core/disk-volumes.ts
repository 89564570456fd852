// Volumes on disks and file servers that pods and persistent volumes describe alike.

import {
  bool,
  field,
  int32,
  listOf,
  oneOf,
  pointer,
  required,
  string,
  type TypeSchema,
  type,
} from "../schema.ts";

export const hostPathVolumeSource: TypeSchema = type(
  "io.k8s.api.core.v1.HostPathVolumeSource",
  "A path of the node",
  {
    path: field(1, string, "Of the file or directory", required),
    type: field(
      2,
      oneOf(
        "",
        "BlockDevice",
        "CharDevice",
        "Directory",
        "DirectoryOrCreate",
        "File",
        "FileOrCreate",
        "Socket",
      ),
      "What must be there, or be made",
      pointer,
    ),
  },
);

export const gcePersistentDiskVolumeSource: TypeSchema = type(
  "io.k8s.api.core.v1.GCEPersistentDiskVolumeSource",
  "A disk of Google Cloud",
  {
    pdName: field(1, string, "Name of the disk", required),
    fsType: field(2, string, "File system on it"),
    partition: field(3, int32, "Which partition; the whole disk if 0"),
    readOnly: field(4, bool, "Nothing can be written there"),
  },
);

export const awsElasticBlockStoreVolumeSource: TypeSchema = type(
  "io.k8s.api.core.v1.AWSElasticBlockStoreVolumeSource",
  "A disk of Amazon EBS",
  {
    volumeID: field(1, string, "Id of the disk", required),
    fsType: field(2, string, "File system on it"),
    partition: field(3, int32, "Which partition; the whole disk if 0"),
    readOnly: field(4, bool, "Nothing can be written there"),
  },
);

export const nfsVolumeSource: TypeSchema = type(
  "io.k8s.api.core.v1.NFSVolumeSource",
  "A directory of an NFS server",
  {
    server: field(1, string, "Name or address of the server", required),
    path: field(2, string, "The exported directory", required),
    readOnly: field(3, bool, "Nothing can be written there"),
  },
);

export const fcVolumeSource: TypeSchema = type(
  "io.k8s.api.core.v1.FCVolumeSource",
  "A disk on Fibre Channel",
  {
    targetWWNs: field(1, listOf(string), "World wide names of the targets"),
    lun: field(2, int32, "Number of the unit", pointer),
    fsType: field(3, string, "File system on it"),
    readOnly: field(4, bool, "Nothing can be written there"),
    wwids: field(5, listOf(string), "World wide ids of the disk, instead of target and unit"),
  },
);

export const flockerVolumeSource: TypeSchema = type(
  "io.k8s.api.core.v1.FlockerVolumeSource",
  "A Flocker dataset",
  {
    datasetName: field(1, string, "Name of the dataset; outdated"),
    datasetUUID: field(2, string, "Id of the dataset"),
  },
);

export const vsphereVirtualDiskVolumeSource: TypeSchema = type(
  "io.k8s.api.core.v1.VsphereVirtualDiskVolumeSource",
  "A virtual disk of vSphere",
  {
    volumePath: field(1, string, "Path of the disk file", required),
    fsType: field(2, string, "File system on it"),
    storagePolicyName: field(3, string, "Name of the storage policy"),
    storagePolicyID: field(4, string, "Id of the storage policy"),
  },
);

export const quobyteVolumeSource: TypeSchema = type(
  "io.k8s.api.core.v1.QuobyteVolumeSource",
  "A Quobyte volume",
  {
    registry: field(1, string, "Hosts of the registry", required),
    volume: field(2, string, "Name of the volume", required),
    readOnly: field(3, bool, "Nothing can be written there"),
    user: field(4, string, "Owner of the files"),
    group: field(5, string, "Group of the files"),
    tenant: field(6, string, "Tenant that has the volume"),
  },
);

export const azureDiskVolumeSource: TypeSchema = type(
  "io.k8s.api.core.v1.AzureDiskVolumeSource",
  "A disk of Azure",
  {
    diskName: field(1, string, "Name of the disk", required),
    diskURI: field(2, string, "Address of the disk", required),
    cachingMode: field(3, oneOf("None", "ReadOnly", "ReadWrite"), "What the host caches", {
      ...pointer,
      default: "ReadWrite",
    }),
    fsType: field(4, string, "File system on it", { ...pointer, default: "ext4" }),
    readOnly: field(5, bool, "Nothing can be written there", { ...pointer, default: false }),
    kind: field(6, oneOf("Dedicated", "Managed", "Shared"), "How the disk is kept", {
      ...pointer,
      default: "Shared",
    }),
  },
);

export const photonPersistentDiskVolumeSource: TypeSchema = type(
  "io.k8s.api.core.v1.PhotonPersistentDiskVolumeSource",
  "A disk of the Photon Controller",
  {
    pdID: field(1, string, "Id of the disk", required),
    fsType: field(2, string, "File system on it"),
  },
);

export const portworxVolumeSource: TypeSchema = type(
  "io.k8s.api.core.v1.PortworxVolumeSource",
  "A Portworx volume",
  {
    volumeID: field(1, string, "Id of the volume", required),
    fsType: field(2, string, "File system on it"),
    readOnly: field(3, bool, "Nothing can be written there"),
  },
);
