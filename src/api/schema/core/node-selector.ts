// How nodes are chosen.

import { field, listOf, oneOf, ref, required, string, type TypeSchema, type } from "../schema.ts";

const nodeSelectorRequirement: TypeSchema = type(
  "io.k8s.api.core.v1.NodeSelectorRequirement",
  "One demand on a node",
  {
    key: field(1, string, "The label or field", required),
    operator: field(
      2,
      oneOf("DoesNotExist", "Exists", "Gt", "In", "Lt", "NotIn"),
      "How it must relate to the values",
      required,
    ),
    values: field(3, listOf(string), "None, one or several, by operator"),
  },
);

export const nodeSelectorTerm: TypeSchema = type(
  "io.k8s.api.core.v1.NodeSelectorTerm",
  "Demands on a node that must all hold",
  {
    matchExpressions: field(1, listOf(ref(nodeSelectorRequirement)), "On its labels"),
    matchFields: field(2, listOf(ref(nodeSelectorRequirement)), "On its fields"),
  },
  { atomic: true },
);

export const nodeSelector: TypeSchema = type(
  "io.k8s.api.core.v1.NodeSelector",
  "Chooses nodes; one term must fit",
  {
    nodeSelectorTerms: field(1, listOf(ref(nodeSelectorTerm)), "Alternatives", required),
  },
  { atomic: true },
);
