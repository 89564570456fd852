// How the API lists its groups, versions and resources; and one event of a watch.

import { typeMeta } from "./meta.ts";
import {
  always,
  bool,
  field,
  json,
  listOf,
  ref,
  required,
  string,
  type TypeSchema,
  type,
} from "./schema.ts";

const serverAddressByClientCIDR: TypeSchema = type(
  "io.k8s.apimachinery.pkg.apis.meta.v1.ServerAddressByClientCIDR",
  "A server address for clients of one network",
  {
    clientCIDR: field(1, string, "The network of the client", required),
    serverAddress: field(2, string, "Host and port to use from there", required),
  },
);

export const apiVersions: TypeSchema = type(
  "io.k8s.apimachinery.pkg.apis.meta.v1.APIVersions",
  "Versions of the core group",
  {
    ...typeMeta,
    versions: field(1, listOf(string), "Those that are served", required),
    serverAddressByClientCIDRs: field(
      2,
      listOf(ref(serverAddressByClientCIDR)),
      "Where clients of a network reach the server",
      required,
    ),
  },
);

const groupVersionForDiscovery: TypeSchema = type(
  "io.k8s.apimachinery.pkg.apis.meta.v1.GroupVersionForDiscovery",
  "One version of a group",
  {
    groupVersion: field(1, string, "Group and version with a slash between", required),
    version: field(2, string, "The version alone", required),
  },
);

export const apiGroup: TypeSchema = type(
  "io.k8s.apimachinery.pkg.apis.meta.v1.APIGroup",
  "One group and its versions",
  {
    ...typeMeta,
    name: field(1, string, "As it stands in apiVersion", required),
    versions: field(2, listOf(ref(groupVersionForDiscovery)), "Those that are served", required),
    preferredVersion: field(
      3,
      ref(groupVersionForDiscovery),
      "The one to use if nothing speaks for another",
      always,
    ),
    serverAddressByClientCIDRs: field(
      4,
      listOf(ref(serverAddressByClientCIDR)),
      "Where clients of a network reach the server",
    ),
  },
);

export const apiGroupList: TypeSchema = type(
  "io.k8s.apimachinery.pkg.apis.meta.v1.APIGroupList",
  "The named groups",
  {
    ...typeMeta,
    groups: field(1, listOf(ref(apiGroup)), "All but the core group", required),
  },
);

const apiResource: TypeSchema = type(
  "io.k8s.apimachinery.pkg.apis.meta.v1.APIResource",
  "One resource and what can be done with it",
  {
    name: field(1, string, "Plural name as in paths; subresources after a slash", required),
    singularName: field(6, string, "The name for one object, on command lines", required),
    namespaced: field(2, bool, "Objects live in namespaces", required),
    group: field(8, string, "Of the kind, if it is another than the list's"),
    version: field(9, string, "Of the kind, if it is another than the list's"),
    kind: field(3, string, "Kind of its objects", required),
    verbs: field(4, listOf(string), "What can be done", required),
    shortNames: field(5, listOf(string), "Abbreviations for command lines"),
    categories: field(7, listOf(string), "Sets that the resource is part of, such as all"),
    storageVersionHash: field(10, string, "Changes when objects are stored in another version"),
  },
);

export const apiResourceList: TypeSchema = type(
  "io.k8s.apimachinery.pkg.apis.meta.v1.APIResourceList",
  "The resources of one group and version",
  {
    ...typeMeta,
    groupVersion: field(1, string, "Group and version that the resources belong to", required),
    resources: field(2, listOf(ref(apiResource)), "Resources and subresources", required),
  },
);

export const watchEvent: TypeSchema = type(
  "io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent",
  "One message of a watch",
  {
    type: field(1, string, "ADDED, MODIFIED, DELETED, BOOKMARK or ERROR", required),
    object: field(2, json, "The object as it is now, or a Status for ERROR", required),
  },
);
