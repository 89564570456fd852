// PersistentVolume: storage of the cluster. As with volumes, JSON shows its source in the spec itself.

import { metadata, typeMeta } from "../meta.ts";
import {
  always,
  field,
  inlined,
  listOf,
  mapOf,
  oneOf,
  pointer,
  quantity,
  ref,
  required,
  string,
  type TypeSchema,
  time,
  type,
} from "../schema.ts";
import {
  awsElasticBlockStoreVolumeSource,
  azureDiskVolumeSource,
  fcVolumeSource,
  flockerVolumeSource,
  gcePersistentDiskVolumeSource,
  hostPathVolumeSource,
  nfsVolumeSource,
  photonPersistentDiskVolumeSource,
  portworxVolumeSource,
  quobyteVolumeSource,
  vsphereVirtualDiskVolumeSource,
} from "./disk-volumes.ts";
import { nodeSelector } from "./node-selector.ts";
import {
  azureFilePersistentVolumeSource,
  cephFSPersistentVolumeSource,
  cinderPersistentVolumeSource,
  csiPersistentVolumeSource,
  flexPersistentVolumeSource,
  glusterfsPersistentVolumeSource,
  iscsiPersistentVolumeSource,
  rbdPersistentVolumeSource,
  scaleIOPersistentVolumeSource,
  storageOSPersistentVolumeSource,
} from "./persistent-network-volumes.ts";
import { objectReference } from "./references.ts";
import { accessMode, volumeMode } from "./values.ts";

const localVolumeSource: TypeSchema = type(
  "io.k8s.api.core.v1.LocalVolumeSource",
  "A disk or directory of one node",
  {
    path: field(1, string, "Of the disk or directory", required),
    fsType: field(2, string, "File system on it", pointer),
  },
);

const persistentVolumeSource: TypeSchema = type(
  "io.k8s.api.core.v1.PersistentVolumeSource",
  "Where the storage is; one of them",
  {
    gcePersistentDisk: field(
      1,
      ref(gcePersistentDiskVolumeSource),
      "A disk of Google Cloud",
      pointer,
    ),
    awsElasticBlockStore: field(
      2,
      ref(awsElasticBlockStoreVolumeSource),
      "A disk of Amazon EBS",
      pointer,
    ),
    hostPath: field(
      3,
      ref(hostPathVolumeSource),
      "A path of the node, for trying things out",
      pointer,
    ),
    glusterfs: field(4, ref(glusterfsPersistentVolumeSource), "A Gluster volume", pointer),
    nfs: field(5, ref(nfsVolumeSource), "A directory of an NFS server", pointer),
    rbd: field(6, ref(rbdPersistentVolumeSource), "A Ceph block device", pointer),
    iscsi: field(7, ref(iscsiPersistentVolumeSource), "A disk on iSCSI", pointer),
    cinder: field(8, ref(cinderPersistentVolumeSource), "A disk of OpenStack", pointer),
    cephfs: field(9, ref(cephFSPersistentVolumeSource), "A Ceph file system", pointer),
    fc: field(10, ref(fcVolumeSource), "A disk on Fibre Channel", pointer),
    flocker: field(11, ref(flockerVolumeSource), "A Flocker dataset", pointer),
    flexVolume: field(
      12,
      ref(flexPersistentVolumeSource),
      "A volume of a driver on the node",
      pointer,
    ),
    azureFile: field(13, ref(azureFilePersistentVolumeSource), "A share of Azure Files", pointer),
    vsphereVolume: field(
      14,
      ref(vsphereVirtualDiskVolumeSource),
      "A virtual disk of vSphere",
      pointer,
    ),
    quobyte: field(15, ref(quobyteVolumeSource), "A Quobyte volume", pointer),
    azureDisk: field(16, ref(azureDiskVolumeSource), "A disk of Azure", pointer),
    photonPersistentDisk: field(
      17,
      ref(photonPersistentDiskVolumeSource),
      "A disk of the Photon Controller",
      pointer,
    ),
    portworxVolume: field(18, ref(portworxVolumeSource), "A Portworx volume", pointer),
    scaleIO: field(19, ref(scaleIOPersistentVolumeSource), "A ScaleIO volume", pointer),
    local: field(20, ref(localVolumeSource), "A disk of one node", pointer),
    storageos: field(21, ref(storageOSPersistentVolumeSource), "A StorageOS volume", pointer),
    csi: field(22, ref(csiPersistentVolumeSource), "A volume of a CSI driver", pointer),
  },
);

const volumeNodeAffinity: TypeSchema = type(
  "io.k8s.api.core.v1.VolumeNodeAffinity",
  "Nodes from which a volume can be reached",
  {
    required: field(1, ref(nodeSelector), "The nodes", pointer),
  },
);

const persistentVolumeSpec: TypeSchema = type(
  "io.k8s.api.core.v1.PersistentVolumeSpec",
  "What the storage is",
  {
    capacity: field(1, mapOf(quantity), "How large"),
    ...inlined(2, persistentVolumeSource),
    accessModes: field(3, listOf(accessMode), "How it is mountable"),
    claimRef: field(4, ref(objectReference), "The claim that has it", {
      ...pointer,
      atomic: false,
    }),
    persistentVolumeReclaimPolicy: field(
      5,
      oneOf("Delete", "Recycle", "Retain"),
      "What becomes of it when the claim goes",
    ),
    storageClassName: field(6, string, "Class that it belongs to"),
    mountOptions: field(7, listOf(string), "Options for mounting"),
    volumeMode: field(8, volumeMode, "A file system or a raw block device", pointer),
    nodeAffinity: field(9, ref(volumeNodeAffinity), "Nodes from which it can be reached", pointer),
    volumeAttributesClassName: field(10, string, "Class of changeable attributes", pointer),
  },
);

const persistentVolumeStatus: TypeSchema = type(
  "io.k8s.api.core.v1.PersistentVolumeStatus",
  "Whether a volume is in use",
  {
    phase: field(
      1,
      oneOf("Available", "Bound", "Failed", "Pending", "Released"),
      "Pending, Available, Bound, Released or Failed",
    ),
    message: field(2, string, "Why, for people"),
    reason: field(3, string, "Why, one word for programs"),
    lastPhaseTransitionTime: field(4, time, "When the phase last changed", pointer),
  },
);

export const persistentVolume: TypeSchema = type(
  "io.k8s.api.core.v1.PersistentVolume",
  "Storage of the cluster, claimed or free",
  {
    ...typeMeta,
    metadata,
    spec: field(2, ref(persistentVolumeSpec), "What the storage is", always),
    status: field(3, ref(persistentVolumeStatus), "Whether it is in use", always),
  },
);
