// How files get into containers: modes, mount points, and sources of a volume that get in each other's way.

import type { Container, KeyToPath, Volume } from "../../api/types.ts";
import { list, text } from "../../api/validation/absent.ts";
import { type FieldPath, type Finding, found } from "../finding.ts";
import {
  configVolumes,
  type PlacedContainer,
  placedContainers,
  sourcesOf,
  type VolumeSource,
} from "../references.ts";
import { nameOf } from "../subject.ts";
import type { JudgedPod, World } from "./world.ts";

export function volumeFindings(pod: JudgedPod, world: World): readonly Finding[] {
  return [
    ...list(pod.spec.volumes).flatMap((volume, index) => {
      const path = [...pod.path, "spec", "volumes", index];
      return [
        ...modeFindings(pod, volume, path),
        ...collisions(pod, sourcesOf(volume, path), world),
      ];
    }),
    ...unusedFindings(pod),
    ...placedContainers(pod).flatMap((placed) => mountFindings(pod, placed)),
  ];
}

/** Modes that people mean when they write decimal numbers. */
const KNOWN_MODES: ReadonlySet<number> = new Set(
  "0400 0440 0444 0500 0550 0555 0600 0640 0644 0660 0664 0666 0700 0711 0744 0750 0755 0770 0775 0777"
    .split(" ")
    .map((mode) => Number.parseInt(mode, 8)),
);

/** The mode that was meant; undefined if the number may stand for itself. */
function meantMode(mode: number | null | undefined): number | undefined {
  if (mode === undefined || mode === null || KNOWN_MODES.has(mode)) return undefined;
  const digits = String(mode);
  if (!/^[0-7]{3}$/.test(digits)) return undefined;
  const meant = Number.parseInt(digits, 8);
  return KNOWN_MODES.has(meant) ? meant : undefined;
}

function modeFindings({ subject }: JudgedPod, volume: Volume, path: FieldPath): readonly Finding[] {
  return modesOf(volume, path).flatMap(({ mode, at }) => {
    const meant = meantMode(mode);
    if (meant === undefined || mode === undefined) return [];
    const octal = `0${meant.toString(8)}`;
    const message = `${mode} is a decimal number, 0${mode.toString(8)} in octal; ${octal} was meant.`;
    const fix = { type: "mode", mode: meant } as const;
    return [found("decimal-mode", { subject, path: at }, message, { fix })];
  });
}

interface PlacedMode {
  readonly mode: number | undefined;
  readonly at: FieldPath;
}

function modesOf(volume: Volume, path: FieldPath): readonly PlacedMode[] {
  const { configMap, secret, downwardAPI, projected } = volume;
  const places = [
    { of: configMap, at: [...path, "configMap"] },
    { of: secret, at: [...path, "secret"] },
    { of: downwardAPI, at: [...path, "downwardAPI"] },
    ...list(projected?.sources).flatMap((source, index) => {
      const within = [...path, "projected", "sources", index];
      return [
        { of: source.configMap, at: [...within, "configMap"] },
        { of: source.secret, at: [...within, "secret"] },
        { of: source.downwardAPI, at: [...within, "downwardAPI"] },
      ];
    }),
  ];
  const own = [{ mode: projected?.defaultMode, at: [...path, "projected", "defaultMode"] }];
  return [
    ...own,
    ...places.flatMap(({ of, at }): readonly PlacedMode[] => {
      if (!of) return [];
      const { defaultMode, items } = of as {
        readonly defaultMode?: number;
        readonly items?: readonly Pick<KeyToPath, "mode">[];
      };
      const each = list(items).map(({ mode }, i) => ({ mode, at: [...at, "items", i, "mode"] }));
      return [{ mode: defaultMode, at: [...at, "defaultMode"] }, ...each];
    }),
  ];
}

/** Files of several sources under one name. */
function collisions(
  pod: JudgedPod,
  sources: readonly VolumeSource[],
  world: World,
): readonly Finding[] {
  const owners = new Map<string, string>();
  return sources.flatMap((source) => {
    const owner = source.reference ? nameOf(source.reference) : "the pod itself";
    const taken = filesOf(pod, source, world).flatMap((file) => {
      const before = owners.get(file);
      owners.set(file, owner);
      return before === undefined ? [] : [{ file, before }];
    });
    const [first] = taken;
    if (first === undefined) return [];
    const more = taken.length > 1 ? ` (and ${taken.length - 1} more)` : "";
    const message = `${JSON.stringify(first.file)}${more} is projected from ${first.before} and again from ${owner}, which wins.`;
    return [found("projected-twice", { subject: pod.subject, path: source.path }, message)];
  });
}

function filesOf(
  { subject }: JudgedPod,
  { items, reference }: VolumeSource,
  { index }: World,
): readonly string[] {
  if (items !== undefined) return items.map(({ path }) => text(path));
  if (reference === undefined) return [];
  const [facts] = index.find({ ...reference, namespace: subject.namespace });
  return [...(facts?.keys?.keys() ?? [])];
}

function unusedFindings(pod: JudgedPod): readonly Finding[] {
  const mounted = new Set(
    placedContainers(pod).flatMap(({ container }) =>
      list(container.volumeMounts).map(({ name }) => text(name)),
    ),
  );
  return [...configVolumes(pod.spec)].flatMap(([name, { index }]) => {
    if (mounted.has(name)) return [];
    const at = { subject: pod.subject, path: [...pod.path, "spec", "volumes", index, "name"] };
    return [found("unused-volume", at, `No container mounts the volume ${JSON.stringify(name)}.`)];
  });
}

/** Directories that images fill and programs rely on. */
const SYSTEM: ReadonlySet<string> = new Set(
  "/ /bin /boot /dev /etc /etc/ssl /etc/ssl/certs /home /lib /lib64 /opt /proc /root /run /sbin /srv /sys /tmp /usr /usr/bin /usr/lib /usr/local /usr/local/bin /usr/sbin /usr/share /var /var/lib /var/log /var/run".split(
    " ",
  ),
);

function mountFindings(pod: JudgedPod, { container, path }: PlacedContainer): readonly Finding[] {
  const { subject } = pod;
  const volumes = configVolumes(pod.spec);
  const seen = new Set<string>();
  return list((container as Container).volumeMounts).flatMap((mount, index) => {
    const at = { subject, path: [...path, "volumeMounts", index, "mountPath"] };
    const place = `/${text(mount.mountPath)
      .split("/")
      .filter((part) => part !== "" && part !== ".")
      .join("/")}`;
    const isWhole = text(mount.subPath) === "" && text(mount.subPathExpr) === "";
    const findings: Finding[] = [];
    if (isWhole && SYSTEM.has(place) && volumes.has(text(mount.name))) {
      const message = `${place} of container ${JSON.stringify(container.name)} is replaced by the volume ${JSON.stringify(mount.name)}.`;
      findings.push(found("mount-hides-files", at, message));
    }
    if (seen.has(place)) {
      const message = `${place} is mounted twice in container ${JSON.stringify(container.name)}.`;
      findings.push(found("mount-twice", at, message));
    }
    seen.add(place);
    return findings;
  });
}
