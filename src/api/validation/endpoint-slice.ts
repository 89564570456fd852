// What an EndpointSlice may list. What the API's newer rules say about single fields comes last, as there.

import type { Endpoint, EndpointHints, EndpointSlice } from "../types.ts";
import { ipFamily, validateCanonicalIp, validateEndpointIp } from "./endpoint-ip.ts";
import { validateProtocol } from "./endpoints.ts";
import {
  duplicate,
  type FieldError,
  invalid,
  notSupported,
  required,
  tooMany,
} from "./field-error.ts";
import { FieldPath } from "./field-path.ts";
import { validateIp } from "./ip-address.ts";
import { validateLabels } from "./labels.ts";
import {
  dns1123Label,
  dns1123Subdomain,
  labelValue,
  nameIsDnsSubdomain,
  qualifiedName,
} from "./names.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";
import { immutableField, semanticEqual } from "./semantic-equal.ts";

type Port = NonNullable<EndpointSlice["ports"]>[number];

const addressTypes = ["FQDN", "IPv4", "IPv6"];
const maxEndpoints = 1000;
const maxAddresses = 100;
const maxPorts = 20_000;
const maxTopologyLabels = 16;
const maxHints = 8;

export function validateEndpointSlice(slice: EndpointSlice): FieldError[] {
  return [...validateFields(slice, undefined), ...validateDeclared(slice)];
}

export function validateEndpointSliceUpdate(
  slice: EndpointSlice,
  old: EndpointSlice,
): FieldError[] {
  return [
    ...validateObjectMetaUpdate(slice.metadata, old.metadata),
    ...validateFields(slice, old),
    ...validateDeclared(slice),
    ...immutableField(slice.addressType, old.addressType, FieldPath.of("addressType")),
  ];
}

function validateFields(slice: EndpointSlice, old: EndpointSlice | undefined): FieldError[] {
  const kept = old !== undefined && semanticEqual(slice.endpoints, old.endpoints);
  return [
    ...validateObjectMeta(slice.metadata, { namespaced: true, name: nameIsDnsSubdomain }),
    ...validatePorts(slice.ports ?? []),
    ...(kept ? [] : validateEndpoints(slice)),
  ];
}

function validateDeclared({ addressType, endpoints }: EndpointSlice): FieldError[] {
  const errors: FieldError[] = [];
  const path = FieldPath.of("addressType");
  if (addressType === "") errors.push(required(path));
  else if (!addressTypes.includes(addressType)) {
    errors.push(notSupported(path, addressType, addressTypes));
  }
  for (const [i, { addresses }] of (endpoints ?? []).entries()) {
    const at = FieldPath.of("endpoints").index(i).child("addresses");
    const count = (addresses ?? []).length;
    if (count === 0) errors.push(required(at));
    if (count > maxAddresses) errors.push(tooMany(at, count, maxAddresses));
  }
  return errors;
}

function validateEndpoints({ endpoints, addressType }: EndpointSlice): FieldError[] {
  const path = FieldPath.of("endpoints");
  const count = (endpoints ?? []).length;
  if (count > maxEndpoints) return [tooMany(path, count, maxEndpoints)];
  return (endpoints ?? []).flatMap((endpoint, i) =>
    validateEndpoint(endpoint, addressType, path.index(i)),
  );
}

function validateEndpoint(endpoint: Endpoint, addressType: string, path: FieldPath): FieldError[] {
  const { nodeName, deprecatedTopology: topology, hostname, hints } = endpoint;
  const errors = (endpoint.addresses ?? []).flatMap((address, i) =>
    validateAddress(address, addressType, { all: path.child("addresses"), index: i }),
  );
  if (nodeName !== undefined) {
    for (const text of nameIsDnsSubdomain(nodeName, false)) {
      errors.push(invalid(path.child("nodeName"), nodeName, text));
    }
  }
  const labels = Object.keys(topology ?? {}).length;
  if (labels > maxTopologyLabels) {
    errors.push(tooMany(path.child("deprecatedTopology"), labels, maxTopologyLabels));
  }
  errors.push(...validateLabels(topology, path.child("deprecatedTopology")));
  if (hostname !== undefined) {
    for (const text of dns1123Label(hostname)) {
      errors.push(invalid(path.child("hostname"), hostname, text));
    }
  }
  return [...errors, ...validateHints(hints ?? {}, path.child("hints"))];
}

function validateAddress(
  address: string,
  addressType: string,
  { all, index }: { readonly all: FieldPath; readonly index: number },
): FieldError[] {
  const path = all.index(index);
  switch (addressType) {
    case "IPv4":
    case "IPv6": {
      const errors =
        addressType === "IPv4" ? validateIp(path, address) : validateCanonicalIp(path, address);
      if (errors.length > 0) return errors;
      if (ipFamily(address) !== addressType) {
        errors.push(invalid(all, address, `must be an ${addressType} address`));
      }
      return [...errors, ...validateEndpointIp(path, address)];
    }
    case "FQDN":
      return validateFullName(address, path);
    default:
      return [];
  }
}

function validateFullName(given: string, path: FieldPath): FieldError[] {
  if (given === "") return [required(path)];
  const name = given.replace(/\.$/, "");
  const errors = dns1123Subdomain(name);
  if (errors.length > 0) return [invalid(path, name, errors.join(","))];
  const labels = name.split(".");
  if (labels.length < 2) {
    const text = "should be a domain with at least two segments separated by dots";
    return [invalid(path, name, text)];
  }
  const long = labels.find((label) => dns1123Label(label).length > 0);
  return long === undefined ? [] : [invalid(path, long, dns1123Label(long).join(","))];
}

function validatePorts(ports: readonly Port[]): FieldError[] {
  const path = FieldPath.of("ports");
  if (ports.length > maxPorts) return [tooMany(path, ports.length, maxPorts)];
  const names = new Set<string>();
  return ports.flatMap((port, i) => {
    const { name = "", protocol, appProtocol } = port;
    const at = path.index(i);
    const errors =
      name === "" ? [] : dns1123Label(name).map((text) => invalid(at.child("name"), name, text));
    if (names.has(name)) errors.push(duplicate(at.child("name"), name));
    names.add(name);
    errors.push(...validateProtocol(protocol ?? "", at.child("protocol")));
    if (appProtocol === undefined) return errors;
    const of = at.child("appProtocol");
    return [...errors, ...qualifiedName(appProtocol).map((text) => invalid(of, appProtocol, text))];
  });
}

function validateHints({ forZones, forNodes }: EndpointHints, path: FieldPath): FieldError[] {
  const errors = validateHintNames(forZones ?? [], path.child("forZones"), labelValue);
  if ((forZones ?? []).length > maxHints) return errors;
  const node = (name: string): readonly string[] => nameIsDnsSubdomain(name, false);
  return [...errors, ...validateHintNames(forNodes ?? [], path.child("forNodes"), node)];
}

function validateHintNames(
  hints: readonly { readonly name?: string }[],
  path: FieldPath,
  rule: (name: string) => readonly string[],
): FieldError[] {
  if (hints.length > maxHints) return [tooMany(path, hints.length, maxHints)];
  const seen = new Set<string>();
  return hints.flatMap(({ name = "" }, i) => {
    const at = path.index(i).child("name");
    const errors = seen.has(name) ? [duplicate(at, name)] : [];
    seen.add(name);
    return [...errors, ...rule(name).map((text) => invalid(at, name, text))];
  });
}
