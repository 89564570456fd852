// NetworkPolicy: who may speak with pods, and with whom they may.

import { protocol } from "../core/values.ts";
import { metadata, typeMeta } from "../meta.ts";
import {
  always,
  field,
  int32,
  intOrString,
  listOf,
  oneOf,
  pointer,
  ref,
  required,
  string,
  type TypeSchema,
  type,
} from "../schema.ts";
import { labelSelector } from "../selector.ts";

const networkPolicyPort: TypeSchema = type(
  "io.k8s.api.networking.v1.NetworkPolicyPort",
  "A port, or several in a row",
  {
    protocol: field(1, protocol, "Transport that is spoken", pointer),
    port: field(
      2,
      intOrString,
      "Number of the pods' port, or its name there; all if missing",
      pointer,
    ),
    endPort: field(3, int32, "The last of several that begin with port", pointer),
  },
);

const ipBlock: TypeSchema = type("io.k8s.api.networking.v1.IPBlock", "A range of addresses", {
  cidr: field(1, string, "The range", required),
  except: field(2, listOf(string), "Ranges within it that do not count"),
});

const networkPolicyPeer: TypeSchema = type(
  "io.k8s.api.networking.v1.NetworkPolicyPeer",
  "Those on the other side",
  {
    podSelector: field(1, ref(labelSelector), "Labels of pods", pointer),
    namespaceSelector: field(
      2,
      ref(labelSelector),
      "Labels of their namespaces; this one if missing",
      pointer,
    ),
    ipBlock: field(3, ref(ipBlock), "Addresses, instead of pods", pointer),
  },
);

const networkPolicyIngressRule: TypeSchema = type(
  "io.k8s.api.networking.v1.NetworkPolicyIngressRule",
  "What may come in",
  {
    ports: field(1, listOf(ref(networkPolicyPort)), "To these ports; all if missing"),
    from: field(2, listOf(ref(networkPolicyPeer)), "From these; everywhere if missing"),
  },
);

const networkPolicyEgressRule: TypeSchema = type(
  "io.k8s.api.networking.v1.NetworkPolicyEgressRule",
  "What may go out",
  {
    ports: field(1, listOf(ref(networkPolicyPort)), "To these ports; all if missing"),
    to: field(2, listOf(ref(networkPolicyPeer)), "To these; everywhere if missing"),
  },
);

const networkPolicySpec: TypeSchema = type(
  "io.k8s.api.networking.v1.NetworkPolicySpec",
  "Which pods, and what they may",
  {
    podSelector: field(1, ref(labelSelector), "Labels of the pods; all if empty", always),
    ingress: field(
      2,
      listOf(ref(networkPolicyIngressRule)),
      "What may come in; nothing if missing",
    ),
    egress: field(3, listOf(ref(networkPolicyEgressRule)), "What may go out; nothing if missing"),
    policyTypes: field(4, listOf(oneOf("Egress", "Ingress")), "Which of both it is about"),
  },
);

export const networkPolicy: TypeSchema = type(
  "io.k8s.api.networking.v1.NetworkPolicy",
  "Who may speak with pods",
  {
    ...typeMeta,
    metadata,
    spec: field(2, ref(networkPolicySpec), "What should be", always),
  },
);
