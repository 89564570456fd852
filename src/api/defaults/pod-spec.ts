// The defaults of a pod's spec that are not in the tables: those that depend on something, or whose absence means
// something else to clients that look at tables alone.

import { parseQuantity } from "../quantity.ts";
import type {
  Container,
  HTTPGetAction,
  ObjectFieldSelector,
  PodSpec,
  Probe,
  Volume,
  VolumeProjection,
} from "../types.ts";
import { list } from "../validation/absent.ts";
import { imageTag } from "./image-tag.ts";

type Quantities = { [name: string]: string } | null | undefined;

/** 0644 */
const fileMode = 420;

/** Changes the spec of a pod or of a template. */
export function setPodSpecDefaults(spec: PodSpec): void {
  setServiceAccount(spec);
  spec.dnsPolicy ||= "ClusterFirst";
  spec.restartPolicy ||= "Always";
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= 30;
  spec.schedulerName ||= "default-scheduler";
  roundQuantities(spec.overhead);
  roundQuantities(spec.resources?.limits);
  roundQuantities(spec.resources?.requests);
  for (const volume of list(spec.volumes)) setVolumeDefaults(volume);
  for (const container of list(spec.initContainers)) setContainerDefaults(container);
  for (const container of list(spec.containers)) setContainerDefaults(container);
  for (const container of list(spec.ephemeralContainers)) setContainerDefaults(container);
}

/** Amounts are kept in thousandths, rounded up. Changes the map. */
export function roundQuantities(quantities: Quantities): void {
  for (const name in quantities) {
    const value = quantities[name] ?? "0";
    // Only what is finer than a thousandth can change, and is written with "n", "u" or a long fraction.
    if (/[nu.e]/i.test(value)) quantities[name] = parseQuantity(value).roundedToMilli().canonical();
  }
}

/** The old name of the field and the new one say the same. */
function setServiceAccount(spec: PodSpec): void {
  const name = spec.serviceAccountName || spec.serviceAccount;
  if (name === undefined || name === "") return;
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
}

function setContainerDefaults(container: Container): void {
  container.imagePullPolicy ||= pullPolicy(container.image);
  container.terminationMessagePath ||= "/dev/termination-log";
  container.terminationMessagePolicy ||= "File";
  for (const { valueFrom } of container.env ?? []) setFieldRefDefaults(valueFrom?.fieldRef);
  roundQuantities(container.resources.limits);
  roundQuantities(container.resources.requests);
  setProbeDefaults(container.livenessProbe);
  setProbeDefaults(container.readinessProbe);
  setProbeDefaults(container.startupProbe);
  setHttpGetDefaults(container.lifecycle?.postStart?.httpGet);
  setHttpGetDefaults(container.lifecycle?.preStop?.httpGet);
}

function pullPolicy(image: string | undefined): string {
  return imageTag(image ?? "") === "latest" ? "Always" : "IfNotPresent";
}

function setFieldRefDefaults(reference: ObjectFieldSelector | undefined): void {
  if (reference !== undefined) reference.apiVersion ||= "v1";
}

function setProbeDefaults(probe: Probe | undefined): void {
  if (probe === undefined) return;
  probe.timeoutSeconds ||= 1;
  probe.periodSeconds ||= 10;
  probe.successThreshold ||= 1;
  probe.failureThreshold ||= 3;
  setHttpGetDefaults(probe.httpGet);
}

function setHttpGetDefaults(action: HTTPGetAction | undefined): void {
  if (action === undefined) return;
  action.path ||= "/";
  action.scheme ||= "HTTP";
}

function setVolumeDefaults(volume: Volume): void {
  const hasSource = Object.entries(volume).some(
    ([name, value]) => name !== "name" && value !== undefined && value !== null,
  );
  if (!hasSource) volume.emptyDir = {};
  const { image, hostPath, projected } = volume;
  if (image !== undefined) image.pullPolicy ||= pullPolicy(image.reference);
  if (hostPath !== undefined) hostPath.type ??= "";
  setModes(volume);
  for (const { fieldRef } of volume.downwardAPI?.items ?? []) setFieldRefDefaults(fieldRef);
  for (const source of projected?.sources ?? []) setProjectionDefaults(source);
  setClaimDefaults(volume);
}

function setModes(volume: Volume): void {
  for (const kind of ["secret", "configMap", "downwardAPI", "projected"] as const) {
    const source = volume[kind];
    if (source !== undefined) source.defaultMode ??= fileMode;
  }
}

function setProjectionDefaults(source: VolumeProjection): void {
  for (const { fieldRef } of source.downwardAPI?.items ?? []) setFieldRefDefaults(fieldRef);
  // An hour.
  const token = source.serviceAccountToken;
  if (token !== undefined) token.expirationSeconds ??= 3600;
}

function setClaimDefaults(volume: Volume): void {
  const claim = volume.ephemeral?.volumeClaimTemplate?.spec;
  if (claim === undefined) return;
  claim.volumeMode ??= "Filesystem";
  roundQuantities(claim.resources.limits);
  roundQuantities(claim.resources.requests);
}
