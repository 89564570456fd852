// What the controllers of service accounts read and write.

import type { ApiObject } from "../../api/object.ts";
import { isAlreadyExists, isNotFound, StatusError } from "../../api/status-error.ts";
import type { ConfigMap, Namespace, Secret, ServiceAccount } from "../../api/types.ts";
import type { ResourceKind } from "../../client/resource-path.ts";
import { servedKind } from "../pods/pod-object.ts";

export type NamespaceObject = Namespace & ApiObject;
export type ServiceAccountObject = ServiceAccount & ApiObject;
export type ConfigMapObject = ConfigMap & ApiObject;
export type SecretObject = Secret & ApiObject;

export const NAMESPACE: ResourceKind = servedKind("v1", "Namespace");
export const SERVICE_ACCOUNT: ResourceKind = servedKind("v1", "ServiceAccount");
export const CONFIG_MAP: ResourceKind = servedKind("v1", "ConfigMap");
export const SECRET: ResourceKind = servedKind("v1", "Secret");

/** Things can be made in it. */
export function isActive(namespace: NamespaceObject | undefined): boolean {
  if (namespace === undefined || namespace.metadata.deletionTimestamp != null) return false;
  return (namespace.status?.phase ?? "Active") === "Active";
}

/** Somebody else has made it, or its namespace has gone or goes: there is nothing left to do. */
export function isNeedless(err: unknown): boolean {
  if (isAlreadyExists(err) || isNotFound(err)) return true;
  const causes = err instanceof StatusError ? (err.details?.causes ?? []) : [];
  return causes.some(({ reason }) => reason === "NamespaceTerminating");
}
