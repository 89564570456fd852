// Volume: a name, and one of many places that its files come from. JSON shows both in one object, protobuf
// does not.

import {
  bool,
  field,
  inlined,
  int32,
  pointer,
  quantity,
  ref,
  required,
  string,
  type TypeSchema,
  type,
} from "../schema.ts";
import {
  configMapVolumeSource,
  downwardAPIVolumeSource,
  projectedVolumeSource,
  secretVolumeSource,
} from "./config-volumes.ts";
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
import {
  azureFileVolumeSource,
  cephFSVolumeSource,
  cinderVolumeSource,
  csiVolumeSource,
  flexVolumeSource,
  gitRepoVolumeSource,
  glusterfsVolumeSource,
  iscsiVolumeSource,
  rbdVolumeSource,
  scaleIOVolumeSource,
  storageOSVolumeSource,
} from "./network-volumes.ts";
import { persistentVolumeClaimTemplate } from "./persistent-volume-claim.ts";
import { pullPolicy } from "./values.ts";

const emptyDirVolumeSource: TypeSchema = type(
  "io.k8s.api.core.v1.EmptyDirVolumeSource",
  "An empty directory that lives as long as the pod",
  {
    medium: field(1, string, "Memory keeps it in RAM"),
    sizeLimit: field(2, quantity, "The pod is evicted if it grows larger", pointer),
    mode: field(3, int32, "Permissions of the directory", pointer),
  },
);

const persistentVolumeClaimVolumeSource: TypeSchema = type(
  "io.k8s.api.core.v1.PersistentVolumeClaimVolumeSource",
  "A claim as a volume",
  {
    claimName: field(1, string, "Name of the claim", required),
    readOnly: field(2, bool, "Nothing can be written there"),
  },
);

const ephemeralVolumeSource: TypeSchema = type(
  "io.k8s.api.core.v1.EphemeralVolumeSource",
  "A claim that lives as long as the pod",
  {
    volumeClaimTemplate: field(
      1,
      ref(persistentVolumeClaimTemplate),
      "What the claim is made from",
      pointer,
    ),
  },
);

const imageVolumeSource: TypeSchema = type(
  "io.k8s.api.core.v1.ImageVolumeSource",
  "The files of an image",
  {
    reference: field(1, string, "Name of the image"),
    pullPolicy: field(2, pullPolicy, "When to fetch the image"),
  },
);

const volumeSource: TypeSchema = type(
  "io.k8s.api.core.v1.VolumeSource",
  "Where the files of a volume come from; one of them",
  {
    hostPath: field(1, ref(hostPathVolumeSource), "A path of the node", pointer),
    emptyDir: field(
      2,
      ref(emptyDirVolumeSource),
      "An empty directory that lives as long as the pod",
      pointer,
    ),
    gcePersistentDisk: field(
      3,
      ref(gcePersistentDiskVolumeSource),
      "A disk of Google Cloud",
      pointer,
    ),
    awsElasticBlockStore: field(
      4,
      ref(awsElasticBlockStoreVolumeSource),
      "A disk of Amazon EBS",
      pointer,
    ),
    gitRepo: field(5, ref(gitRepoVolumeSource), "A clone of a git repository; outdated", pointer),
    secret: field(6, ref(secretVolumeSource), "A Secret", pointer),
    nfs: field(7, ref(nfsVolumeSource), "A directory of an NFS server", pointer),
    iscsi: field(8, ref(iscsiVolumeSource), "A disk on iSCSI", pointer),
    glusterfs: field(9, ref(glusterfsVolumeSource), "A Gluster volume", pointer),
    persistentVolumeClaim: field(
      10,
      ref(persistentVolumeClaimVolumeSource),
      "A claim in the same namespace",
      pointer,
    ),
    rbd: field(11, ref(rbdVolumeSource), "A Ceph block device", pointer),
    flexVolume: field(12, ref(flexVolumeSource), "A volume of a driver on the node", pointer),
    cinder: field(13, ref(cinderVolumeSource), "A disk of OpenStack", pointer),
    cephfs: field(14, ref(cephFSVolumeSource), "A Ceph file system", pointer),
    flocker: field(15, ref(flockerVolumeSource), "A Flocker dataset", pointer),
    downwardAPI: field(16, ref(downwardAPIVolumeSource), "Facts about the pod", pointer),
    fc: field(17, ref(fcVolumeSource), "A disk on Fibre Channel", pointer),
    azureFile: field(18, ref(azureFileVolumeSource), "A share of Azure Files", pointer),
    configMap: field(19, ref(configMapVolumeSource), "A ConfigMap", pointer),
    vsphereVolume: field(
      20,
      ref(vsphereVirtualDiskVolumeSource),
      "A virtual disk of vSphere",
      pointer,
    ),
    quobyte: field(21, ref(quobyteVolumeSource), "A Quobyte volume", pointer),
    azureDisk: field(22, ref(azureDiskVolumeSource), "A disk of Azure", pointer),
    photonPersistentDisk: field(
      23,
      ref(photonPersistentDiskVolumeSource),
      "A disk of the Photon Controller",
      pointer,
    ),
    projected: field(26, ref(projectedVolumeSource), "Several sources in one directory", pointer),
    portworxVolume: field(24, ref(portworxVolumeSource), "A Portworx volume", pointer),
    scaleIO: field(25, ref(scaleIOVolumeSource), "A ScaleIO volume", pointer),
    storageos: field(27, ref(storageOSVolumeSource), "A StorageOS volume", pointer),
    csi: field(28, ref(csiVolumeSource), "A short-lived volume of a CSI driver", pointer),
    ephemeral: field(
      29,
      ref(ephemeralVolumeSource),
      "A claim that lives as long as the pod",
      pointer,
    ),
    image: field(30, ref(imageVolumeSource), "The files of an image", pointer),
  },
);

export const volume: TypeSchema = type(
  "io.k8s.api.core.v1.Volume",
  "Files that containers of a pod can mount",
  {
    name: field(1, string, "Unique in the pod", required),
    ...inlined(2, volumeSource),
  },
);
