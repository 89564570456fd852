import { describe } from "node:test";
import type { JsonObject } from "../json.ts";
import { judges } from "./testing/case-table.ts";
import { podErrors } from "./testing/judged.ts";

/** Errors of a pod with one volume; paths begin at the volume. */
function volumeErrors(volume: JsonObject): string[] {
  const spec = { serviceAccountName: "sa", volumes: [{ name: "v", ...volume }] };
  return podErrors(spec).map((error) => error.replace("spec.volumes[0].", ""));
}

describe("Volumes of a pod", () => {
  judges(
    {
      "have names of their own": [
        { volumes: [{ name: "a" }, { name: "a" }, { name: "" }, { name: "B" }] },
        [
          'spec.volumes[1].name: Duplicate value: "a"',
          "spec.volumes[2].name: Required value",
          "spec.volumes[3].name: Invalid value: \"B\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
        ],
      ],
      "do not take the claim of another": [
        {
          volumes: [
            {
              name: "e",
              ephemeral: {
                volumeClaimTemplate: {
                  spec: {
                    accessModes: ["ReadWriteOnce"],
                    resources: { requests: { storage: "1Gi" } },
                  },
                },
              },
            },
            { name: "c", persistentVolumeClaim: { claimName: "p-e" } },
          ],
        },
        [
          'spec.volumes[1].persistentVolumeClaim.claimName: Invalid value: "p-e": must not reference a PVC that gets created for an ephemeral volume',
        ],
      ],
      "have tokens only for pods with an account": [
        {
          volumes: [
            { name: "t", projected: { sources: [{ serviceAccountToken: { path: "token" } }] } },
          ],
        },
        [
          "spec.volumes[0].projected.sources[0].serviceAccountToken: Forbidden: must not be specified when serviceAccountName is not set",
        ],
      ],
    },
    (spec) => podErrors(spec),
  );
});

describe("Volume", () => {
  const mode = "must be a number between 0 and 0777 (octal), both inclusive";
  judges(
    {
      "is a directory of the pod if nothing is said": [{}, []],
      "has one source": [
        { emptyDir: {}, configMap: { name: "a" }, downwardAPI: {}, cephfs: { monitors: ["m"] } },
        [
          "cephFS: Forbidden: may not specify more than 1 volume type",
          "downwarAPI: Forbidden: may not specify more than 1 volume type",
          "configMap: Forbidden: may not specify more than 1 volume type",
        ],
      ],
      "of a directory has no negative size": [
        { emptyDir: { sizeLimit: "-1" } },
        ["emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity"],
      ],
      "of a ConfigMap says of which, and where its keys go": [
        {
          configMap: {
            defaultMode: 512,
            items: [
              { key: "", path: "", mode: -1 },
              { key: "k", path: "..x" },
              { key: "k", path: "a/../b" },
              { key: "k", path: "/abs" },
            ],
          },
        },
        [
          "configMap.name: Required value",
          `configMap.defaultMode: Invalid value: 512: ${mode}`,
          "configMap.items[0].key: Required value",
          "configMap.items[0].path: Required value",
          `configMap.items[0].mode: Invalid value: -1: ${mode}`,
          "configMap.items[1].path: Invalid value: \"..x\": must not start with '..'",
          "configMap.items[2].path: Invalid value: \"a/../b\": must not contain '..'",
          'configMap.items[3].path: Invalid value: "/abs": must be a relative path',
        ],
      ],
      "of a Secret says of which": [{ secret: {} }, ["secret.secretName: Required value"]],
      "of the host has a path without backsteps and a known type": [
        { hostPath: { path: "/a/../b", type: "Pipe" } },
        [
          "hostPath.path: Invalid value: \"/a/../b\": must not contain '..'",
          'hostPath.type: Unsupported value: "Pipe": supported values: "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"',
        ],
      ],
      "of the host has a path": [{ hostPath: {} }, ["hostPath.path: Required value"]],
      "of the pod's own fields names one for each file, without an index": [
        {
          downwardAPI: {
            items: [
              { path: "a" },
              { path: "b", fieldRef: { fieldPath: "spec.nodeName" } },
              { path: "c", resourceFieldRef: { resource: "limits.cpu" } },
              {
                path: "d",
                fieldRef: { fieldPath: "metadata.labels" },
                resourceFieldRef: { resource: "limits.cpu", containerName: "c" },
              },
            ],
          },
        },
        [
          "downwardAPI: Required value: one of fieldRef and resourceFieldRef is required",
          'downwardAPI.fieldRef.fieldPath: Unsupported value: "spec.nodeName": supported values: "metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"',
          "downwardAPI.resourceFieldRef.containerName: Required value",
          'downwardAPI: Invalid value: "resource": fieldRef and resourceFieldRef can not be specified simultaneously',
        ],
      ],
      "of several sources puts each file in its own place": [
        {
          projected: {
            sources: [
              { secret: { name: "s", items: [{ key: "k", path: "x" }] } },
              { configMap: { items: [{ key: "k", path: "x" }] } },
              { secret: { name: "s" }, configMap: { name: "c" } },
              { downwardAPI: { items: [{ path: "x", fieldRef: { fieldPath: "metadata.uid" } }] } },
            ],
          },
        },
        [
          "projected.sources[1].configMap.name: Required value",
          'projected: Invalid value: "": conflicting duplicate paths',
          "projected.sources[2]: Forbidden: may not specify more than 1 volume type per source",
          'projected: Invalid value: "x": conflicting duplicate paths',
        ],
      ],
      "of a token lasts at least ten minutes": [
        {
          projected: {
            sources: [
              { serviceAccountToken: { path: "", expirationSeconds: 599 } },
              { serviceAccountToken: { path: "../t", expirationSeconds: 4_294_967_297 } },
            ],
          },
        },
        [
          "projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes",
          "projected.path: Required value",
          "projected.sources[1].serviceAccountToken.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds",
          "projected.path: Invalid value: \"../t\": must not contain '..'",
        ],
      ],
      "of trusted certificates names a bundle or a signer": [
        {
          projected: {
            sources: [
              { clusterTrustBundle: { path: "a" } },
              { clusterTrustBundle: { path: "b", signerName: "x" } },
              { clusterTrustBundle: { path: "c", name: "A" } },
            ],
          },
        },
        [
          "projected.sources[0].clusterTrustBundle: Required value: either name or signerName must be specified",
          "projected.sources[1].clusterTrustBundle.signerName: Invalid value: \"x\": must be a fully qualified domain and path of the form 'example.com/signer-name'",
          "projected.sources[2].clusterTrustBundle.name: Invalid value: \"A\": not a valid clustertrustbundlename: a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
        ],
      ],
      "of a certificate of its own says which": [
        {
          projected: {
            sources: [
              { podCertificate: { signerName: "a/b", keyType: "RSA", maxExpirationSeconds: 60 } },
            ],
          },
        },
        [
          'projected.sources[0].podCertificate.signerName: Invalid value: "a": should be a domain with at least two segments separated by dots',
          'projected.sources[0].podCertificate.keyType: Unsupported value: "RSA": supported values: "RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"',
          "projected.sources[0].podCertificate.maxExpirationSeconds: Invalid value: 60: if provided, maxExpirationSeconds must be >= 3600",
          "projected.sources[0].podCertificate: Required value: specify at least one of credentialBundlePath, keyPath, and certificateChainPath",
        ],
      ],
      "of a claim names it": [
        { persistentVolumeClaim: {} },
        ["persistentVolumeClaim.claimName: Required value"],
      ],
      "of a driver names it": [
        { csi: { driver: "", nodePublishSecretRef: {} } },
        ["csi.driver: Required value", "csi.nodePublishSecretRef.name: Required value"],
      ],
      "of an image has one": [
        { image: { pullPolicy: "Now" } },
        [
          "image.reference: Required value",
          'image.pullPolicy: Unsupported value: "Now": supported values: "Always", "IfNotPresent", "Never"',
        ],
      ],
      "made for the pod says what to make": [
        { ephemeral: {} },
        ["ephemeral.volumeClaimTemplate: Required value"],
      ],
      "made for the pod has no name of its own": [
        {
          ephemeral: {
            volumeClaimTemplate: {
              metadata: { name: "x" },
              spec: {
                accessModes: ["ReadWriteOnce"],
                resources: { requests: { storage: "1Gi" } },
              },
            },
          },
        },
        ["ephemeral.volumeClaimTemplate.metadata.name: Forbidden: cannot be set"],
      ],
      "of a server has an absolute path": [
        { nfs: { path: "p" } },
        ["nfs.server: Required value", 'nfs.path: Invalid value: "p": must be an absolute path'],
      ],
      "of a disk has a partition that there can be": [
        { gcePersistentDisk: { partition: 256 } },
        [
          "persistentDisk.pdName: Required value",
          "persistentDisk.partition: Invalid value: 256: must be between 1 and 255, inclusive",
        ],
      ],
      "of iSCSI names its target": [
        { iscsi: { iqn: "x", lun: 256, chapAuthSession: true } },
        [
          "iscsi.targetPortal: Required value",
          'iscsi.iqn: Invalid value: "x": must be valid format starting with iqn, eui, or naa',
          "iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive",
          "iscsi.secretRef: Required value",
        ],
      ],
      "of fibre channel names targets or ids": [
        { fc: { targetWWNs: ["a"], wwids: ["b"] } },
        [
          'fc.targetWWNs: Invalid value: ["a"]: targetWWNs and wwids can not be specified simultaneously',
          "fc.lun: Required value: lun is required if targetWWNs is specified",
        ],
      ],
      "of a plugin keeps out of reserved options": [
        { flexVolume: { driver: "d", options: { "kubernetes.io/x": "y", "my-k8s.io/x": "y" } } },
        [
          'flexVolume.options[kubernetes.io/x]: Invalid value: "kubernetes.io/x": kubernetes.io and k8s.io namespaces are reserved',
        ],
      ],
      "of Azure names its disk": [
        { azureDisk: { kind: "Managed", cachingMode: "Much" } },
        [
          "azureDisk.diskName: Required value",
          "azureDisk.diskURI: Required value",
          'azureDisk.cachingMode: Unsupported value: "Much": supported values: "None", "ReadOnly", "ReadWrite"',
          'azureDisk.diskURI: Unsupported value: "": supported values: "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"',
        ],
      ],
      "of systems that nobody has any more is judged too": [
        { flocker: {} },
        ["flocker: Required value: one of datasetName and datasetUUID is required"],
      ],
    },
    volumeErrors,
  );
});
