// The directory in which a container's programs say what they run with (packages/config, "Acknowledgements"): one for each start of a container
// that has configuration mounted. A tiny tmpfs, so that nobody can fill the node with it, and gone with the container.
//
//   pods/<uid>/plugins/driftless.dev~ack/<container>/<attempt>     on the node
//   /run/driftless/ack, and DRIFTLESS_ACK=/run/driftless/ack       in the container

import { type Dirent, mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Pod } from "../../api/types.ts";
import { isErrno } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import type { Mounts } from "../../mounts/mounts.ts";
import type { ContainerMount, ContainerSpec, ContainerStatus } from "../../runtime/runtime.ts";
import type { AgentPaths } from "../agent-paths.ts";
import type { VolumeUse } from "../sub-path/volume-use.ts";

export interface AckDirectoriesOptions {
  readonly paths: AgentPaths;
  readonly mounts: Pick<Mounts, "tmpfs" | "unmount">;
  readonly logger: Logger;
}

/** A container that is to start, and what is known of it. */
export interface ContainerToAck {
  readonly pod: Pod;
  readonly container: string;
  readonly attempt: number;
  readonly uses: readonly VolumeUse[];
  readonly mounts: readonly ContainerMount[];
  /** The container's own. */
  readonly env: ContainerSpec["env"];
}

/** What is to be added to the container. */
export type AckParts = Pick<ContainerSpec, "mounts" | "env" | "annotations">;

/** On a pod: "false" leaves its containers without. */
const ACK_ANNOTATION = "driftless.dev/ack";
/** In the annotations of a container: where its directory is on the node. */
const DIRECTORY_NOTE = "driftless.dev/ack-directory";
const VARIABLE = "DRIFTLESS_ACK";
/** The second is for containers that have something of their own mounted at /run. */
const PLACES = ["/run/driftless/ack", "/var/driftless/ack"];

/** Every user of the container may write, and nobody removes what is another's. */
const MODE = 0o1777;
/** A file of the library takes a page, and there is one for each path and process. */
const SIZE_BYTES = 262_144;
export const MAX_FILES = 128;

const nothing: AckParts = { mounts: [], env: [], annotations: {} };

/** Volumes that ConfigMaps and Secrets are in. */
const configPlugins: ReadonlySet<string> = new Set([
  "kubernetes.io/configmap",
  "kubernetes.io/secret",
  "kubernetes.io/projected",
]);

export class AckDirectories {
  readonly #options: AckDirectoriesOptions;
  /** Those that were made in this life of the agent, until the leftovers of former ones were swept. */
  #made: Set<string> | undefined = new Set();
  #hasComplained = false;

  constructor(options: AckDirectoriesOptions) {
    this.#options = options;
  }

  /** Makes it anew, empty. A container without one runs as well: what it has applied is not known then. */
  prepare(of: ContainerToAck): AckParts {
    const containerPath = placeFor(of);
    if (containerPath === undefined) return nothing;
    const { paths, logger } = this.#options;
    const hostPath = join(
      ...[paths.acks(of.pod.metadata.uid ?? ""), of.container, String(of.attempt)],
    );
    try {
      this.#make(hostPath);
    } catch (err) {
      logger[this.#hasComplained ? "debug" : "warn"](
        "cannot make a directory for acknowledgements",
        { path: hostPath, err },
      );
      this.#hasComplained = true;
      return nothing;
    }
    return {
      mounts: [{ hostPath, containerPath, isReadOnly: false, propagation: "None" }],
      env: hasVariable(of) ? [] : [[VARIABLE, containerPath]],
      annotations: { [DIRECTORY_NOTE]: hostPath },
    };
  }

  /** Of a container that has ended. */
  remove(directory: string): void {
    const { mounts, logger } = this.#options;
    try {
      mounts.unmount(directory);
      rmSync(directory, { recursive: true, force: true });
    } catch (err) {
      // It goes with the pod at the latest.
      logger.warn("cannot remove a directory for acknowledgements", { path: directory, err });
    }
  }

  /** Removes what former lives of the agent have left, all but those in use. */
  sweep(inUse: ReadonlySet<string>): void {
    const { paths } = this.#options;
    for (const podUid of namesIn(paths.pods)) {
      const root = paths.acks(podUid);
      const found = namesIn(root).flatMap((container) =>
        namesIn(join(root, container)).map((attempt) => join(root, container, attempt)),
      );
      for (const directory of found) {
        if (!inUse.has(directory) && !this.#made?.has(directory)) this.remove(directory);
      }
    }
    this.#made = undefined;
  }

  #make(directory: string): void {
    const { mounts } = this.#options;
    // Starts that failed have left theirs, of this attempt or earlier ones: nobody tells that they have ended. One runs at a time.
    const container = dirname(directory);
    for (const attempt of namesIn(container)) this.remove(join(container, attempt));
    mkdirSync(directory, { recursive: true, mode: 0o750 });
    this.#made?.add(directory);
    mounts.tmpfs(directory, { sizeBytes: SIZE_BYTES, mode: MODE, maxInodes: MAX_FILES });
  }
}

/** Undefined: it has none. */
export function ackDirectoryOf({ annotations }: ContainerStatus): string | undefined {
  return annotations[DIRECTORY_NOTE];
}

function placeFor(of: ContainerToAck): string | undefined {
  const { pod, mounts, env } = of;
  if (pod.metadata.annotations?.[ACK_ANNOTATION] === "false" || !usesConfig(of)) return undefined;
  const own = env.findLast(([name]) => name === VARIABLE)?.[1];
  // Somebody has made his own arrangements.
  if (mounts.some(({ containerPath }) => PLACES.includes(containerPath))) return undefined;
  const isCovered = (place: string): boolean =>
    mounts.some(({ containerPath }) => `${place}/`.startsWith(`${realPath(containerPath)}/`));
  return PLACES.find((place) => (own === undefined || own === place) && !isCovered(place));
}

/** As images have it. */
function realPath(containerPath: string): string {
  return containerPath.replace(/^\/var\/run(?=\/|$)/, "/run").replace(/\/$/, "");
}

function hasVariable({ env }: ContainerToAck): boolean {
  return env.some(([name]) => name === VARIABLE);
}

/** The volume with the pod's own token is in nearly every pod, and nobody acknowledges that. */
function usesConfig({ uses }: ContainerToAck): boolean {
  return uses.some(
    ({ plugin, volume }) => configPlugins.has(plugin) && !volume.startsWith("kube-api-access-"),
  );
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter((entry: Dirent) => entry.isDirectory())
      .map(({ name }) => name);
  } catch (err) {
    if (isErrno(err, "ENOENT")) return [];
    throw err;
  }
}
