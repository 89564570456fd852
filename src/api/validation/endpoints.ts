// What Endpoints may list.

import type { EndpointAddress, EndpointSubset, Endpoints } from "../types.ts";
import { validateEndpointIp } from "./endpoint-ip.ts";
import { type FieldError, invalid, notSupported, required } from "./field-error.ts";
import { FieldPath } from "./field-path.ts";
import { validateIp } from "./ip-address.ts";
import { dns1123Label, nameIsDnsSubdomain, portNumber, qualifiedName } from "./names.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";
import { semanticEqual } from "./semantic-equal.ts";

type Port = NonNullable<EndpointSubset["ports"]>[number];

const subsetsPath = FieldPath.of("subsets");
const protocols = ["SCTP", "TCP", "UDP"];

export function validateEndpoints(endpoints: Endpoints): FieldError[] {
  return [
    ...validateObjectMeta(endpoints.metadata, { namespaced: true, name: nameIsDnsSubdomain }),
    ...validateSubsets(endpoints.subsets ?? []),
  ];
}

export function validateEndpointsUpdate(endpoints: Endpoints, old: Endpoints): FieldError[] {
  return [
    ...validateObjectMetaUpdate(endpoints.metadata, old.metadata),
    ...validateObjectMeta(endpoints.metadata, { namespaced: true, name: nameIsDnsSubdomain }),
    // What is there already was right when it was written.
    ...(semanticEqual(endpoints.subsets, old.subsets)
      ? []
      : validateSubsets(endpoints.subsets ?? [])),
  ];
}

function validateSubsets(subsets: readonly EndpointSubset[]): FieldError[] {
  return subsets.flatMap((subset, i) => validateSubset(subset, subsetsPath.index(i)));
}

function validateSubset(subset: EndpointSubset, path: FieldPath): FieldError[] {
  const { addresses, notReadyAddresses, ports } = subset;
  const errors: FieldError[] = [];
  if ((addresses ?? []).length + (notReadyAddresses ?? []).length === 0) {
    errors.push(required(path, "must specify `addresses` or `notReadyAddresses`"));
  }
  return [
    ...errors,
    ...(addresses ?? []).flatMap((address, i) =>
      validateAddress(address, path.child("addresses").index(i)),
    ),
    ...(notReadyAddresses ?? []).flatMap((address, i) =>
      validateAddress(address, path.child("notReadyAddresses").index(i)),
    ),
    ...(ports ?? []).flatMap((port, i, all) =>
      validatePort(port, all.length > 1, path.child("ports").index(i)),
    ),
  ];
}

function validateAddress(address: EndpointAddress, path: FieldPath): FieldError[] {
  const { ip, hostname = "", nodeName } = address;
  const errors = validateIp(path.child("ip"), ip);
  if (hostname !== "") {
    for (const text of dns1123Label(hostname)) {
      errors.push(invalid(path.child("hostname"), hostname, text));
    }
  }
  if (nodeName !== undefined) {
    for (const text of nameIsDnsSubdomain(nodeName, false)) {
      errors.push(invalid(path.child("nodeName"), nodeName, text));
    }
  }
  return [...errors, ...validateEndpointIp(path.child("ip"), ip)];
}

function validatePort(port: Port, needsName: boolean, path: FieldPath): FieldError[] {
  const { name = "", protocol = "", appProtocol } = port;
  const errors: FieldError[] = [];
  if (name !== "") {
    errors.push(...dns1123Label(name).map((text) => invalid(path.child("name"), name, text)));
  } else if (needsName) errors.push(required(path.child("name")));
  for (const text of portNumber(port.port ?? 0)) {
    errors.push(invalid(path.child("port"), port.port ?? 0, text));
  }
  errors.push(...validateProtocol(protocol, path.child("protocol")));
  if (appProtocol === undefined) return errors;
  const at = path.child("appProtocol");
  return [...errors, ...qualifiedName(appProtocol).map((text) => invalid(at, appProtocol, text))];
}

export function validateProtocol(protocol: string, path: FieldPath): FieldError[] {
  if (protocol === "") return [required(path)];
  return protocols.includes(protocol) ? [] : [notSupported(path, protocol, protocols)];
}
