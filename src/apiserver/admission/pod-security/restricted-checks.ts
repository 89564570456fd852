// The checks that the level "restricted" adds: what a hardened pod says of itself, besides not doing any harm.

import type { Container, Volume } from "../../../api/types.ts";
import { list } from "../../../api/validation/absent.ts";
import { addedCapabilities, seccompProfile } from "./baseline-checks.ts";
import {
  type Check,
  containersOf,
  contextOf,
  counted,
  distinct,
  namesOf,
  plural,
  quoted,
  setters,
} from "./findings.ts";

export const allowPrivilegeEscalation: Check = (pod) => {
  const names = namesOf(
    containersOf(pod),
    (of) => contextOf(of).allowPrivilegeEscalation !== false,
  );
  if (names.length === 0) return undefined;
  return {
    reason: "allowPrivilegeEscalation != false",
    detail: `${counted("container", names)} must set securityContext.allowPrivilegeEscalation=false`,
  };
};

const addable: ReadonlySet<string> = new Set(["NET_BIND_SERVICE"]);

export const capabilities: Check = (pod) => {
  const containers = containersOf(pod);
  const keeping = namesOf(
    containers,
    (of) => !list(contextOf(of).capabilities?.drop).includes("ALL"),
  );
  const added = addedCapabilities(containers, addable);
  const details = [
    ...(keeping.length > 0
      ? [`${counted("container", keeping)} must set securityContext.capabilities.drop=["ALL"]`]
      : []),
    ...(added === undefined ? [] : [added]),
  ];
  if (details.length === 0) return undefined;
  return { reason: "unrestricted capabilities", detail: details.join("; ") };
};

const allowedVolumes = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
] as const;

export const restrictedVolumes: Check = ({ spec }) => {
  const bad = list(spec.volumes).filter((volume) =>
    allowedVolumes.every((type) => volume[type] === undefined),
  );
  if (bad.length === 0) return undefined;
  const types = distinct(bad.map(typeOf));
  return {
    reason: "restricted volume types",
    detail: `${counted(
      "volume",
      bad.map(({ name }) => name),
    )} ${plural("uses", bad, "use")} ${counted("restricted volume type", types)}`,
  };
};

function typeOf(volume: Volume): string {
  const { name: _, ...sources } = volume;
  const found = Object.entries(sources).find(([, source]) => source !== undefined);
  return found?.[0] ?? "unknown";
}

export const runAsNonRoot: Check = (pod) => {
  const reason = "runAsNonRoot != true";
  const ofPod = pod.spec.securityContext?.runAsNonRoot;
  const saidBy = (container: Container): boolean | undefined => contextOf(container).runAsNonRoot;
  const containers = containersOf(pod);
  const said = namesOf(containers, (of) => saidBy(of) === false);
  if (ofPod === false || said.length > 0) {
    const who = setters(ofPod === false, said);
    return { reason, detail: `${who} must not set securityContext.runAsNonRoot=false` };
  }
  const silent = ofPod === true ? [] : namesOf(containers, (of) => saidBy(of) === undefined);
  if (silent.length === 0) return undefined;
  const who = counted("container", silent);
  return { reason, detail: `pod or ${who} must set securityContext.runAsNonRoot=true` };
};

export const runAsUser: Check = (pod) => {
  const isRoot = pod.spec.securityContext?.runAsUser === 0;
  const names = namesOf(containersOf(pod), (of) => contextOf(of).runAsUser === 0);
  if (!isRoot && names.length === 0) return undefined;
  return { reason: "runAsUser=0", detail: `${setters(isRoot, names)} must not set runAsUser=0` };
};

export const seccompRequired: Check = (pod) => {
  const bad = seccompProfile(pod);
  if (bad !== undefined || pod.spec.securityContext?.seccompProfile !== undefined) return bad;
  const names = namesOf(containersOf(pod), (of) => contextOf(of).seccompProfile === undefined);
  if (names.length === 0) return undefined;
  const values = quoted(["RuntimeDefault", "Localhost"]).replace(", ", " or ");
  return {
    reason: "seccompProfile",
    detail: `pod or ${counted("container", names)} must set securityContext.seccompProfile.type to ${values}`,
  };
};
