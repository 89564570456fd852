// With which rights a pod and its containers run.

import {
  bool,
  field,
  int64,
  listOf,
  oneOf,
  pointer,
  ref,
  required,
  string,
  type TypeSchema,
  type,
} from "../schema.ts";

const seLinuxOptions: TypeSchema = type(
  "io.k8s.api.core.v1.SELinuxOptions",
  "An SELinux label in its parts",
  {
    user: field(1, string, "User part"),
    role: field(2, string, "Role part"),
    type: field(3, string, "Type part"),
    level: field(4, string, "Level part"),
  },
);

const windowsSecurityContextOptions: TypeSchema = type(
  "io.k8s.api.core.v1.WindowsSecurityContextOptions",
  "Rights on Windows",
  {
    gmsaCredentialSpecName: field(
      1,
      string,
      "Name of the service account's credential spec",
      pointer,
    ),
    gmsaCredentialSpec: field(2, string, "The credential spec itself", pointer),
    runAsUserName: field(3, string, "User name of the process", pointer),
    hostProcess: field(4, bool, "Run as a process of the host", pointer),
  },
);

const sysctl: TypeSchema = type("io.k8s.api.core.v1.Sysctl", "One kernel setting", {
  name: field(1, string, "Of the setting", required),
  value: field(2, string, "To set it to", required),
});

const seccompProfile: TypeSchema = type(
  "io.k8s.api.core.v1.SeccompProfile",
  "Which system calls are allowed",
  {
    type: field(
      1,
      oneOf("Localhost", "RuntimeDefault", "Unconfined"),
      "Whose profile is used",
      required,
    ),
    localhostProfile: field(2, string, "File on the node, for a profile of its own", pointer),
  },
);

const appArmorProfile: TypeSchema = type(
  "io.k8s.api.core.v1.AppArmorProfile",
  "Which AppArmor profile confines a container",
  {
    type: field(
      1,
      oneOf("Localhost", "RuntimeDefault", "Unconfined"),
      "Whose profile is used",
      required,
    ),
    localhostProfile: field(2, string, "Profile loaded on the node, for one of its own", pointer),
  },
);

export const podSecurityContext: TypeSchema = type(
  "io.k8s.api.core.v1.PodSecurityContext",
  "With which rights a pod runs; containers may say otherwise",
  {
    seLinuxOptions: field(1, ref(seLinuxOptions), "SELinux label of the containers", pointer),
    windowsOptions: field(8, ref(windowsSecurityContextOptions), "For Windows only", pointer),
    runAsUser: field(2, int64, "User id of the processes", pointer),
    runAsGroup: field(6, int64, "Group id of the processes", pointer),
    runAsNonRoot: field(3, bool, "Refuse to start as user 0", pointer),
    supplementalGroups: field(4, listOf(int64), "Further group ids of the processes"),
    supplementalGroupsPolicy: field(
      12,
      oneOf("Merge", "Strict"),
      "Whether groups from the image's files count too",
      pointer,
    ),
    fsGroup: field(5, int64, "Group that owns the files of volumes", pointer),
    sysctls: field(7, listOf(ref(sysctl)), "Kernel settings of the pod"),
    fsGroupChangePolicy: field(
      9,
      oneOf("Always", "OnRootMismatch"),
      "When the group of existing files is changed",
      pointer,
    ),
    seccompProfile: field(10, ref(seccompProfile), "Which system calls are allowed", pointer),
    appArmorProfile: field(
      11,
      ref(appArmorProfile),
      "Which AppArmor profile confines the containers",
      pointer,
    ),
    seLinuxChangePolicy: field(13, string, "How volumes get their SELinux label", pointer),
  },
);

const capabilities: TypeSchema = type(
  "io.k8s.api.core.v1.Capabilities",
  "Linux capabilities to give and take",
  {
    add: field(1, listOf(string), "To give"),
    drop: field(2, listOf(string), "To take"),
  },
);

export const securityContext: TypeSchema = type(
  "io.k8s.api.core.v1.SecurityContext",
  "With which rights a container runs",
  {
    capabilities: field(
      1,
      ref(capabilities),
      "Capabilities besides or without the runtime's usual ones",
      pointer,
    ),
    privileged: field(2, bool, "All rights of the host's root", pointer),
    seLinuxOptions: field(3, ref(seLinuxOptions), "SELinux label of the container", pointer),
    windowsOptions: field(10, ref(windowsSecurityContextOptions), "For Windows only", pointer),
    runAsUser: field(4, int64, "User id of the process", pointer),
    runAsGroup: field(8, int64, "Group id of the process", pointer),
    runAsNonRoot: field(5, bool, "Refuse to start as user 0", pointer),
    readOnlyRootFilesystem: field(
      6,
      bool,
      "The container cannot write outside its volumes",
      pointer,
    ),
    allowPrivilegeEscalation: field(
      7,
      bool,
      "A process may gain more rights than its parent",
      pointer,
    ),
    procMount: field(9, oneOf("Default", "Unmasked"), "How much of /proc is hidden", pointer),
    seccompProfile: field(11, ref(seccompProfile), "Which system calls are allowed", pointer),
    appArmorProfile: field(
      12,
      ref(appArmorProfile),
      "Which AppArmor profile confines the container",
      pointer,
    ),
  },
);
