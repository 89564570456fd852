import { deepEqual, equal, throws } from "node:assert/strict";
import { describe, it } from "node:test";
import type { ServedResource } from "../client/discovery.ts";
import { parseResourceArguments } from "./resource-arguments.ts";
import { kindPrefix, ResourceCatalog } from "./resource-catalog.ts";

function served(kind: string, parts: Partial<ServedResource>): ServedResource {
  const singular = kind.toLowerCase();
  return {
    ...{ group: "", version: "v1", kind, resource: `${singular}s`, singular },
    ...{ namespaced: true, verbs: ["get", "list"], isPreferred: true },
    ...parts,
  };
}

const pods = served("Pod", { shortNames: ["po"], categories: ["all"] });
const configMaps = served("ConfigMap", { shortNames: ["cm"] });
const events = served("Event", { shortNames: ["ev"] });
const newEvents = served("Event", { group: "events.k8s.io" });
const deployments = served("Deployment", {
  ...{ group: "apps", shortNames: ["deploy"], categories: ["all"] },
});
const oldDeployments = { ...deployments, version: "v1beta1", isPreferred: false };
const roles = served("Role", { group: "rbac.authorization.k8s.io" });
/** Somebody else's, whose short name is the plural of ours. */
const impostors = served("Impostor", { group: "example.com", shortNames: ["pods"] });
const all = [impostors, pods, configMaps, events, newEvents, deployments, oldDeployments, roles];
const catalog = new ResourceCatalog(all);

describe("ResourceCatalog", () => {
  const names: readonly (readonly [name: string, resource: ServedResource])[] = [
    ["pods", pods],
    ["pod", pods],
    ["po", pods],
    ["Pod", pods],
    ["cm", configMaps],
    ["events", events],
    ["events.events.k8s.io", newEvents],
    ["deploy", deployments],
    ["deployments.apps", deployments],
    ["Deployment.apps", deployments],
    ["deploy.v1beta1.apps", oldDeployments],
    ["pods.v1.", pods],
    ["role.rbac", roles],
  ];
  for (const [name, resource] of names) {
    it(`knows what ${name} is`, () => equal(catalog.resource(name), resource));
  }

  it("says what the server does not have", () => {
    throws(
      () => catalog.resource("foo"),
      /^CliError: the server doesn't have a resource type "foo"$/,
    );
    throws(() => catalog.resource("pods.apps"), /resource type "pods" in group "apps"$/);
  });

  it("names kinds with their group", () => {
    deepEqual([pods, deployments].map(kindPrefix), ["pod", "deployment.apps"]);
  });
});

describe("Words that name objects", () => {
  const parse = (...words: readonly string[]): unknown =>
    parseResourceArguments(words, catalog).map(({ resource, name }) =>
      name === undefined ? resource.resource : `${resource.resource}/${name}`,
    );

  it("are kinds, kinds with names, or both in one", () => {
    deepEqual(parse("po,cm"), ["pods", "configmaps"]);
    deepEqual(parse("po", "a", "b"), ["pods/a", "pods/b"]);
    deepEqual(parse("po/a", "deploy/b"), ["pods/a", "deployments/b"]);
    deepEqual(parse("all"), ["pods", "deployments"]);
    deepEqual(parse("all,po"), ["pods", "deployments"]);
  });

  for (const words of [["po", "cm/a"], ["po/a/b"], ["po/"], ["po,"], ["nothing"]]) {
    it(`are not ${words.join(" ")}`, () => {
      throws(() => parse(...words), { name: "CliError" });
    });
  }
});
