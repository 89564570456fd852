// Kinds to own fields of. The deployment gets a few of its defaults, because they decide about keys and owners.

import { isJsonObject, type JsonObject, type JsonValue } from "../../json.ts";
import type { ApiObject } from "../../object.ts";
import { deployment } from "../../schema/apps/deployment.ts";
import { configMap } from "../../schema/core/config-map.ts";
import { resetFields } from "../ignored-fields.ts";
import { StoredObject } from "./stored-object.ts";

export function newConfigMap(): StoredObject {
  return new StoredObject({ type: configMap, apiVersion: "v1", kind: "ConfigMap" });
}

export function newDeployment(): StoredObject {
  return new StoredObject({
    type: deployment,
    apiVersion: "apps/v1",
    kind: "Deployment",
    ignored: resetFields("status"),
    applyDefaults,
  });
}

function applyDefaults(object: ApiObject): void {
  const spec = at(object, "spec");
  spec["revisionHistoryLimit"] ??= 10;
  const pod = at(at(spec, "template"), "spec");
  pod["restartPolicy"] ??= "Always";
  for (const container of items(pod["containers"])) {
    container["imagePullPolicy"] ??= "Always";
    for (const port of items(container["ports"])) {
      port["protocol"] ??= "TCP";
    }
  }
}

function at(object: JsonObject, key: string): JsonObject {
  const value = object[key];
  return isJsonObject(value) ? value : {};
}

function items(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
