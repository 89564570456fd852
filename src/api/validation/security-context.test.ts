import { describe } from "node:test";
import { judges } from "./testing/case-table.ts";
import { containerErrors, podErrors } from "./testing/judged.ts";

const owner = "must be between 0 and 2147483647, inclusive";

describe("Security context of a container", () => {
  judges(
    {
      "has owners that there can be": [
        { runAsUser: -1, runAsGroup: 2_147_483_648 },
        [
          `securityContext.runAsUser: Invalid value: -1: ${owner}`,
          `securityContext.runAsGroup: Invalid value: 2147483648: ${owner}`,
        ],
      ],
      "does not give and take privileges at once": [
        { privileged: true, allowPrivilegeEscalation: false },
        [
          'securityContext: Invalid value: {"Capabilities":null,"Privileged":true,"SELinuxOptions":null,"WindowsOptions":null,"RunAsUser":null,"RunAsGroup":null,"RunAsNonRoot":null,"ReadOnlyRootFilesystem":null,"AllowPrivilegeEscalation":false,"ProcMount":null,"SeccompProfile":null,"AppArmorProfile":null}: cannot set `allowPrivilegeEscalation` to false and `privileged` to true',
        ],
      ],
      "does not administrate without escalation": [
        { allowPrivilegeEscalation: false, capabilities: { add: ["CAP_SYS_ADMIN"] } },
        [
          'securityContext: Invalid value: {"Capabilities":{"Add":["CAP_SYS_ADMIN"],"Drop":null},"Privileged":null,"SELinuxOptions":null,"WindowsOptions":null,"RunAsUser":null,"RunAsGroup":null,"RunAsNonRoot":null,"ReadOnlyRootFilesystem":null,"AllowPrivilegeEscalation":false,"ProcMount":null,"SeccompProfile":null,"AppArmorProfile":null}: cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN',
        ],
      ],
      "shows all of /proc only to users of its own": [
        { procMount: "Unmasked" },
        [
          'securityContext.procMount: Invalid value: "Unmasked": `hostUsers` must be false to use `Unmasked`',
        ],
      ],
      "has profiles of known types": [
        { seccompProfile: { type: "Best" }, appArmorProfile: { type: "" } },
        [
          'securityContext.seccompProfile.type: Unsupported value: "Best": supported values: "Localhost", "RuntimeDefault", "Unconfined"',
          "securityContext.appArmorProfile.type: Required value: type is required when appArmorProfile is set",
        ],
      ],
      "names profiles of the host, and no others": [
        {
          seccompProfile: { type: "Localhost" },
          appArmorProfile: { type: "Unconfined", localhostProfile: "x" },
        },
        [
          "securityContext.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost",
          'securityContext.appArmorProfile.localhostProfile: Invalid value: "x": can only be set when AppArmor type is Localhost',
        ],
      ],
      "names profiles below their directory": [
        {
          seccompProfile: { type: "Localhost", localhostProfile: "../x" },
          appArmorProfile: { type: "Localhost", localhostProfile: " x" },
        },
        [
          "securityContext.seccompProfile.localhostProfile: Invalid value: \"../x\": must not contain '..'",
          'securityContext.appArmorProfile.localhostProfile: Invalid value: " x": must not be padded with whitespace',
        ],
      ],
      "names users of Windows": [
        { windowsOptions: { runAsUserName: "a\\b\\c", gmsaCredentialSpec: "" } },
        [
          'securityContext.windowsOptions.gmsaCredentialSpec: Invalid value: "": gmsaCredentialSpec cannot be an empty string',
          'securityContext.windowsOptions.runAsUserName: Invalid value: "a\\\\b\\\\c": runAsUserName cannot contain more than one backslash',
        ],
      ],
    },
    (securityContext) => containerErrors({ securityContext }),
  );
});

describe("Security context of a pod", () => {
  judges(
    {
      "has owners that there can be": [
        { securityContext: { fsGroup: -1, supplementalGroups: [1, -2] } },
        [
          `spec.securityContext.fsGroup: Invalid value: -1: ${owner}`,
          `spec.securityContext.supplementalGroups[1]: Invalid value: -2: ${owner}`,
        ],
      ],
      "has policies of known kinds": [
        {
          securityContext: {
            fsGroupChangePolicy: "X",
            supplementalGroupsPolicy: "Y",
            seLinuxChangePolicy: "Z",
          },
        },
        [
          'spec.securityContext.fsGroupChangePolicy: Unsupported value: "X": supported values: "Always", "OnRootMismatch"',
          'spec.securityContext.supplementalGroupsPolicy: Unsupported value: "Y": supported values: "Merge", "Strict"',
          'spec.securityContext.seLinuxChangePolicy: Unsupported value: "Z": supported values: "MountOption", "Recursive"',
        ],
      ],
      "sets kernel parameters once, and none of the host": [
        {
          hostNetwork: true,
          securityContext: {
            sysctls: [
              { name: "kernel.sem", value: "1" },
              { name: "kernel.sem", value: "2" },
              { name: "", value: "" },
              { name: "A", value: "" },
              { name: "net.ipv4.x", value: "1" },
            ],
          },
        },
        [
          'spec.securityContext.sysctls[1].name: Duplicate value: "kernel.sem"',
          "spec.securityContext.sysctls[2].name: Required value",
          'spec.securityContext.sysctls[3].name: Invalid value: "A": must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$',
          "spec.securityContext.sysctls[4].name: Invalid value: \"net.ipv4.x\": may not be specified when 'hostNetwork' is true",
        ],
      ],
      "runs all containers as processes of the host, or none": [
        { securityContext: { windowsOptions: { hostProcess: true } } },
        [
          "spec.hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any hostProcess containers",
        ],
      ],
      "has nothing of Windows in a pod for Linux": [
        { os: { name: "linux" }, securityContext: { windowsOptions: {} } },
        [
          "spec.securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod",
        ],
      ],
      "has nothing of Linux in a pod for Windows": [
        {
          os: { name: "windows" },
          hostPID: true,
          securityContext: { runAsUser: 1 },
          containers: [{ name: "c", image: "i", securityContext: { privileged: false } }],
        },
        [
          "spec.securityContext.runAsUser: Forbidden: cannot be set for a windows pod",
          "spec.hostPID: Forbidden: cannot be set for a windows pod",
          "spec.containers[0].securityContext.privileged: Forbidden: cannot be set for a windows pod",
        ],
      ],
      "is for one of two systems": [
        { os: { name: "plan9" } },
        ['spec.os: Unsupported value: "plan9": supported values: "linux", "windows"'],
      ],
    },
    (spec) => podErrors(spec),
  );
});
