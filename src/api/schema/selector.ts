// How objects are chosen by their labels and fields.

import { field, listOf, mapOf, ref, required, string, type TypeSchema, type } from "./schema.ts";

export const labelSelectorRequirement: TypeSchema = type(
  "io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement",
  "One demand on a label",
  {
    key: field(1, string, "The label", required),
    operator: field(2, string, "In, NotIn, Exists or DoesNotExist", required),
    values: field(3, listOf(string), "For In and NotIn: the values meant"),
  },
);

export const labelSelector: TypeSchema = type(
  "io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector",
  "Chooses objects by labels; everything must hold, nothing chooses all",
  {
    matchLabels: field(1, mapOf(string), "Labels that must have exactly these values"),
    matchExpressions: field(2, listOf(ref(labelSelectorRequirement)), "Further demands on labels"),
  },
  { atomic: true },
);

export const fieldSelectorRequirement: TypeSchema = type(
  "io.k8s.apimachinery.pkg.apis.meta.v1.FieldSelectorRequirement",
  "One demand on a field",
  {
    key: field(1, string, "The field", required),
    operator: field(2, string, "In, NotIn, Exists or DoesNotExist", required),
    values: field(3, listOf(string), "For In and NotIn: the values meant"),
  },
);
