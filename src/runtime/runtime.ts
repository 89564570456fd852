// What the agent needs of whatever runs containers, on one screen. A runtime knows containers and images; it knows nothing
// of pods' life, volumes or the API server. Containers outlive the process that started them: after a restart `list` finds
// them again, with their exit codes.

import type { Image } from "./image.ts";

export interface Runtime {
  /** As in a Node's status: "driftless-process://0.1.0". */
  readonly version: string;

  /** Long-running: adopts what is there, then watches it. */
  run(signal: AbortSignal): Promise<void>;
  /** Settles when everything that was there has been adopted. */
  readonly ready: Promise<void>;

  /** All containers that were not removed, running or ended, in the order in which they were started. */
  list(): readonly ContainerStatus[];
  /** What the containers of a pod share. Does nothing if it is there. */
  makeSandbox(sandbox: SandboxSpec): Promise<void>;
  /** With all that belongs to it; its containers must have ended. Does nothing if it is not there. */
  removeSandbox(podUid: string): Promise<void>;
  /** Pods that have a sandbox, or remains of one. */
  sandboxes(): readonly string[];

  /** Throws ImageMissingError. */
  image(name: string): Promise<Image>;
  /** Starts a new container. Throws StartError, and then nothing of it is left but its log. */
  start(spec: ContainerSpec): Promise<ContainerStatus>;
  /** Asks it to end, makes it end after the grace time, and settles when it has ended. */
  stop(id: string, options: { readonly graceMs: number }): Promise<void>;
  /** With its files; its log stays. It must have ended. */
  remove(id: string): Promise<void>;
  /** Called when a container has ended, after all that it wrote is in its log. */
  onExit(handler: (status: ContainerStatus) => void): Disposable;
}

export interface SandboxSpec {
  readonly podUid: string;
  readonly podName: string;
  readonly podNamespace: string;
  readonly hostname: string;
}

export interface ContainerSpec {
  readonly podUid: string;
  readonly podName: string;
  readonly podNamespace: string;
  readonly name: string;
  /** How many containers of this name the pod had before. */
  readonly attempt: number;
  /** Kept, and given back in the status: for the agent's own memory. Never a secret. */
  readonly annotations: Readonly<Record<string, string>>;
  readonly image: Image;
  /** Program and arguments, complete. */
  readonly argv: readonly string[];
  /** Complete, in order. May hold secrets: never on disk, in a log or in a command line. */
  readonly env: readonly (readonly [name: string, value: string])[];
  readonly workingDir: string;
  readonly user: ContainerUser;
  readonly mounts: readonly ContainerMount[];
  readonly isRootReadOnly: boolean;
  /** No program that it starts has more rights than itself: set-user bits and file capabilities count for nothing. */
  readonly isWithoutNewPrivileges?: boolean;
  /** Absolute; its directory is made. Gets the output in the CRI format. */
  readonly logPath: string;
}

export interface ContainerUser {
  readonly uid: number;
  readonly gid: number;
  readonly supplementalGroups: readonly number[];
}

export interface ContainerMount {
  /** Absolute: a directory or a file. */
  readonly hostPath: string;
  /** Absolute, inside the container. Made if it is missing; symbolic links are followed inside the container's root only. */
  readonly containerPath: string;
  readonly isReadOnly: boolean;
  /** How mounts that are made later below it spread. */
  readonly propagation: "None" | "HostToContainer" | "Bidirectional";
}

export interface ContainerStatus {
  readonly id: string;
  readonly podUid: string;
  readonly podName: string;
  readonly podNamespace: string;
  readonly name: string;
  readonly attempt: number;
  readonly annotations: Readonly<Record<string, string>>;
  readonly imageName: string;
  readonly imageId: string;
  readonly logPath: string;
  readonly startedAtMs: number;
  /** Of the container's first process, as the host numbers it; while it runs. */
  readonly pid: number | undefined;
  /** Missing while it runs. */
  readonly end: ContainerEnd | undefined;
}

export interface ContainerEnd {
  readonly finishedAtMs: number;
  /** 128 + n after a signal n, as shells say it. */
  readonly exitCode: number;
  readonly signal: number | undefined;
  /** The exit code is a guess (137): its keeper was killed, or the machine went down. */
  readonly isUnknown: boolean;
}

/** There is no such image here; the message says how to bring it. */
export class ImageMissingError extends Error {
  override readonly name = "ImageMissingError";
}

/** The container was not started. The message is for the pod's events and status, and has no secrets in it. */
export class StartError extends Error {
  override readonly name = "StartError";
}
