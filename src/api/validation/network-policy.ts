// What a NetworkPolicy may say.

import type {
  IPBlock,
  NetworkPolicy,
  NetworkPolicyPeer,
  NetworkPolicyPort,
  NetworkPolicySpec,
} from "../types.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  invalids,
  notSupported,
  required,
} from "./field-error.ts";
import { FieldPath } from "./field-path.ts";
import { type Cidr, parseCidr, validateCidr } from "./ip-address.ts";
import { hasInvalidSelectorValue, validateLabelSelector } from "./labels.ts";
import { nameIsDnsSubdomain, portName, portNumber } from "./names.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";

interface Tolerance {
  readonly allowInvalidValues: boolean;
  /** Ranges that may stay as they are. */
  readonly known: readonly string[];
}

const specPath = FieldPath.of("spec");
const protocols = ["TCP", "UDP", "SCTP"];
const policyTypes = ["Ingress", "Egress"];

export function validateNetworkPolicy({ metadata, spec }: NetworkPolicy): FieldError[] {
  return [
    ...validateObjectMeta(metadata, { namespaced: true, name: nameIsDnsSubdomain }),
    ...validateSpec(spec, { allowInvalidValues: false, known: [] }),
  ];
}

export function validateNetworkPolicyUpdate(
  { metadata, spec }: NetworkPolicy,
  old: NetworkPolicy,
): FieldError[] {
  const known = ipBlocks(old.spec).flatMap(({ block }) => [block.cidr, ...(block.except ?? [])]);
  const allowInvalidValues = hasInvalidSelectorValue(old.spec.podSelector);
  return [
    ...validateObjectMetaUpdate(metadata, old.metadata),
    ...validateSpec(spec, { allowInvalidValues, known }),
  ];
}

/** All ranges of addresses, and where they stand. */
export function ipBlocks(
  spec: NetworkPolicySpec,
): readonly { readonly block: IPBlock; readonly path: FieldPath }[] {
  return rulesOf(spec).flatMap(({ peers, peersPath }) =>
    peers.flatMap(({ ipBlock: block }, i) =>
      block === undefined ? [] : [{ block, path: peersPath.index(i).child("ipBlock") }],
    ),
  );
}

interface Rule {
  readonly ports: readonly NetworkPolicyPort[];
  readonly portsPath: FieldPath;
  readonly peers: readonly NetworkPolicyPeer[];
  readonly peersPath: FieldPath;
}

function rulesOf({ ingress, egress }: NetworkPolicySpec): readonly Rule[] {
  const both = [
    ...(ingress ?? []).map(({ ports, from }, i) => {
      return { ports, peers: from, path: specPath.child("ingress").index(i), name: "from" };
    }),
    ...(egress ?? []).map(({ ports, to }, i) => {
      return { ports, peers: to, path: specPath.child("egress").index(i), name: "to" };
    }),
  ];
  return both.map(({ ports, peers, path, name }) => ({
    ...{ ports: ports ?? [], portsPath: path.child("ports") },
    ...{ peers: peers ?? [], peersPath: path.child(name) },
  }));
}

function validateSpec(spec: NetworkPolicySpec, tolerance: Tolerance): FieldError[] {
  const errors = [
    ...validateLabelSelector(spec.podSelector, specPath.child("podSelector"), tolerance),
    ...rulesOf(spec).flatMap(({ ports, portsPath, peers, peersPath }) => [
      ...ports.flatMap((port, i) => validatePort(port, portsPath.index(i))),
      ...peers.flatMap((peer, i) => validatePeer(peer, peersPath.index(i), tolerance)),
    ]),
  ];
  const types = spec.policyTypes ?? [];
  const path = specPath.child("policyTypes");
  if (types.length > policyTypes.length) {
    return [...errors, invalid(path, types, "may not specify more than two policyTypes")];
  }
  return [
    ...errors,
    ...types.flatMap((one, i) =>
      policyTypes.includes(one) ? [] : [notSupported(path.index(i), one, policyTypes)],
    ),
  ];
}

function validatePort(
  { protocol, port, endPort }: NetworkPolicyPort,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (protocol !== undefined && !protocols.includes(protocol)) {
    errors.push(notSupported(path.child("protocol"), protocol, protocols));
  }
  const wrongEnd = (text: string): FieldError[] =>
    endPort === undefined ? [] : [invalid(path.child("endPort"), endPort, text)];
  if (port === undefined) {
    return [...errors, ...wrongEnd("may not be specified when `port` is not specified")];
  }
  const at = path.child("port");
  if (typeof port === "string") {
    const noRange = wrongEnd("may not be specified when `port` is non-numeric");
    return [...errors, ...noRange, ...invalids(at, port, portName(port))];
  }
  errors.push(...invalids(at, port, portNumber(port)));
  if (endPort === undefined) return errors;
  const isBefore = endPort < port;
  return [
    ...errors,
    ...(isBefore ? wrongEnd("must be greater than or equal to `port`") : []),
    ...invalids(path.child("endPort"), endPort, portNumber(endPort)),
  ];
}

function validatePeer(
  { podSelector, namespaceSelector, ipBlock }: NetworkPolicyPeer,
  path: FieldPath,
  tolerance: Tolerance,
): FieldError[] {
  const errors = [
    ...validateLabelSelector(podSelector, path.child("podSelector"), tolerance),
    ...validateLabelSelector(namespaceSelector, path.child("namespaceSelector"), tolerance),
    ...(ipBlock === undefined ? [] : validateIpBlock(ipBlock, path.child("ipBlock"), tolerance)),
  ];
  const count = [podSelector, namespaceSelector, ipBlock].filter((one) => one !== undefined).length;
  if (count === 0) return [...errors, required(path, "must specify a peer")];
  if (count === 1 || ipBlock === undefined) return errors;
  return [...errors, forbidden(path, "may not specify both ipBlock and another peer")];
}

function validateIpBlock(
  { cidr, except }: IPBlock,
  path: FieldPath,
  { known }: Tolerance,
): FieldError[] {
  if (cidr === "") return [required(path.child("cidr"))];
  const errors = validateCidr(path.child("cidr"), cidr, known);
  const range = parseCidr(cidr);
  if (range === undefined) return errors;
  const excepted = (except ?? []).flatMap((text, i) => {
    const at = path.child("except").index(i);
    const inner = parseCidr(text);
    const isOutside = inner !== undefined && !isStrictlyWithin(inner, range);
    return [
      ...validateCidr(at, text, known),
      ...(isOutside ? [invalid(at, text, "must be a strict subset of `cidr`")] : []),
    ];
  });
  return [...errors, ...excepted];
}

function isStrictlyWithin(inner: Cidr, outer: Cidr): boolean {
  const isSameFamily = inner.address.family === outer.address.family;
  return (
    isSameFamily &&
    inner.prefixLength > outer.prefixLength &&
    bitsOf(inner).slice(0, outer.prefixLength) === bitsOf(outer).slice(0, outer.prefixLength)
  );
}

function bitsOf({ address }: Cidr): string {
  return address.bytes.map((byte) => byte.toString(2).padStart(8, "0")).join("");
}
