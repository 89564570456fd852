import { describe } from "node:test";
import { judges } from "./testing/case-table.ts";
import { containerErrors } from "./testing/judged.ts";

const volumes = [
  { name: "v" },
  { name: "w" },
  { name: "b", persistentVolumeClaim: { claimName: "c" } },
];

describe("Mounts of a container", () => {
  judges(
    {
      "are of volumes that there are": [
        { volumeMounts: [{ name: "nope", mountPath: "/x" }] },
        ['volumeMounts[0].name: Not found: "nope"'],
      ],
      "have a name and a path": [
        { volumeMounts: [{}] },
        [
          "volumeMounts[0].name: Required value",
          'volumeMounts[0].name: Not found: ""',
          "volumeMounts[0].mountPath: Required value",
        ],
      ],
      "have a path each": [
        {
          volumeMounts: [
            { name: "v", mountPath: "/x" },
            { name: "w", mountPath: "/x" },
          ],
        },
        ['volumeMounts[1].mountPath: Invalid value: "/x": must be unique'],
      ],
      "may show a part of a volume, below its root": [
        {
          volumeMounts: [
            { name: "v", mountPath: "/a", subPath: "ok/..ok" },
            { name: "v", mountPath: "/b", subPath: "/abs" },
            { name: "v", mountPath: "/c", subPath: "a/.." },
            { name: "v", mountPath: "/d", subPath: "a", subPathExpr: "../$(B)" },
          ],
        },
        [
          'volumeMounts.subPath: Invalid value: "/abs": must be a relative path',
          "volumeMounts.subPath: Invalid value: \"a/..\": must not contain '..'",
          'volumeMounts[3].subPathExpr: Invalid value: "../$(B)": subPathExpr and subPath are mutually exclusive',
          "volumeMounts.subPathExpr: Invalid value: \"../$(B)\": must not contain '..'",
        ],
      ],
      "propagate in three ways, back to the host only with privileges": [
        {
          volumeMounts: [
            { name: "v", mountPath: "/a", mountPropagation: "Both" },
            { name: "v", mountPath: "/b", mountPropagation: "Bidirectional" },
          ],
        },
        [
          'volumeMounts.mountPropagation: Unsupported value: "Both": supported values: "Bidirectional", "HostToContainer", "None"',
          "volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers",
        ],
      ],
      "propagate back with privileges": [
        {
          securityContext: { privileged: true },
          volumeMounts: [{ name: "v", mountPath: "/b", mountPropagation: "Bidirectional" }],
        },
        [],
      ],
      "are read-only all the way down if they are read-only at all": [
        {
          volumeMounts: [
            {
              name: "v",
              mountPath: "/a",
              recursiveReadOnly: "Enabled",
              mountPropagation: "HostToContainer",
            },
            { name: "v", mountPath: "/b", recursiveReadOnly: "Yes" },
          ],
        },
        [
          "volumeMounts.recursiveReadOnly: Forbidden: may only be specified when readOnly is true",
          "volumeMounts.recursiveReadOnly: Forbidden: may only be specified when mountPropagation is None or not specified",
          'volumeMounts.recursiveReadOnly: Unsupported value: "Yes": supported values: "Disabled", "Enabled", "IfPossible"',
        ],
      ],
      "and devices are of different volumes at different paths": [
        {
          volumeMounts: [{ name: "b", mountPath: "/x" }],
          volumeDevices: [{ name: "b", devicePath: "/x" }],
        },
        [
          'volumeMounts[0].name: Invalid value: "b": must not already exist in volumeDevices',
          'volumeMounts[0].mountPath: Invalid value: "/x": must not already exist as a path in volumeDevices',
          'volumeDevices[0].name: Invalid value: "b": must not already exist in volumeMounts',
          'volumeDevices[0].devicePath: Invalid value: "/x": must not already exist as a path in volumeMounts',
        ],
      ],
      "that are devices are of claims, once": [
        {
          volumeDevices: [
            { name: "v", devicePath: "/d" },
            { name: "b", devicePath: "/d" },
            { name: "b", devicePath: "/e/../f" },
            { name: "x", devicePath: "" },
          ],
        },
        [
          'volumeDevices[0].name: Invalid value: "v": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
          'volumeDevices[1].devicePath: Invalid value: "/d": must be unique',
          'volumeDevices[2].name: Invalid value: "b": must be unique',
          "volumeDevices[2].devicePath: Invalid value: \"/e/../f\": can not contain backsteps ('..')",
          'volumeDevices[3].name: Not found: "x"',
          "volumeDevices[3].devicePath: Required value",
        ],
      ],
    },
    (container) => containerErrors(container, { volumes }),
  );
});
