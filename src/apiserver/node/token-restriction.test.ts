import { describe } from "node:test";
import type { ApiObject } from "../../api/object.ts";
import { type Cases, restricts, type Write } from "./testing/node-writes.ts";

function asksToken(boundObjectRef: object | undefined, audiences: readonly string[] = []): Write {
  const object = { metadata: {}, spec: { boundObjectRef, audiences } } as unknown as ApiObject;
  return {
    of: ["v1", "ServiceAccount"],
    subresource: "token",
    namespace: "a",
    name: "web",
    object,
  };
}

const toMine = { apiVersion: "v1", kind: "Pod", name: "mine", uid: "uid-mine" };

const noToken = '403 serviceaccounts "web" is forbidden: ';

const cases: Cases = {
  "lets a node ask for a token of its pod": [asksToken(toMine), ""],
  "lets a node ask for an audience that its pod mounts": [asksToken(toMine, ["vault"]), ""],
  "refuses a token that is bound to nothing": [
    asksToken(undefined),
    `${noToken}node requested token not bound to a pod`,
  ],
  "refuses a token that is bound to a node": [
    asksToken({ ...toMine, kind: "Node" }),
    `${noToken}node requested token not bound to a pod`,
  ],
  "refuses a token that is bound to a pod of another group": [
    asksToken({ ...toMine, apiVersion: "example.com/v1" }),
    `${noToken}node requested token not bound to a pod`,
  ],
  "says nothing about tokens that are not created": [
    { ...asksToken(undefined), operation: "UPDATE" },
    "",
  ],
  "refuses a token without the pod's uid": [
    asksToken({ ...toMine, uid: "" }),
    `${noToken}node requested token with a pod binding without a uid`,
  ],
  "refuses a token of an earlier pod": [
    asksToken({ ...toMine, uid: "x" }),
    `${noToken}the UID in the bound object reference (x) does not match the UID in record. The object might have been deleted and then recreated`,
  ],
  "refuses a token of another node's pod": [
    asksToken({ ...toMine, name: "other", uid: "uid-other" }),
    `${noToken}node requested token bound to a pod scheduled on a different node`,
  ],
  "misses the pod of a token": [
    asksToken({ ...toMine, name: "absent" }),
    '404 pods "absent" not found',
  ],
  "refuses a token for several audiences": [
    asksToken(toMine, ["vault", "vault"]),
    `${noToken}node may only request 0 or 1 audiences`,
  ],
  "refuses a token for an audience that the pod does not mount": [
    asksToken(toMine, ["bank"]),
    `${noToken}system:node:n1 is not authorized to request tokens for audience "bank"`,
  ],
  "refuses a token for a pod that mounts none": [
    asksToken({ ...toMine, name: "bare", uid: "uid-bare" }),
    `${noToken}system:node:n1 is not authorized to request tokens for audience ""`,
  ],
  "lets service accounts themselves alone": [
    { of: ["v1", "ServiceAccount"], namespace: "a", name: "web" },
    "",
  ],
};

describe("NodeRestriction of tokens", () => {
  restricts(cases);
});
