// What the agent needs of whatever runs containers. A runtime knows containers and images; it knows nothing
// of pods' life, volumes or the API server. Containers outlive the process that started them: after a restart `list` finds
// them again, with their exit codes.

import type { Readable, Writable } from "node:stream";
import type { MountMark } from "../mounts/mount-mark.ts";
import type { Image } from "./image.ts";

export interface Runtime {
  /** As in a Node's status: "driftless-process://0.1.0". */
  readonly version: string;

  /** Long-running: adopts what is there, then watches it. */
  run(signal: AbortSignal): Promise<void>;
  /** Settles when everything that was there has been adopted. */
  readonly ready: Promise<void>;

  /** All containers that were not removed, or those of one pod, running or ended, in the order in which they were started. */
  list(podUid?: string): readonly ContainerStatus[];
  /** What the containers of a pod share. Does nothing if it is there. */
  makeSandbox(sandbox: SandboxSpec): Promise<void>;
  /** With all that belongs to it; its containers must have ended. Does nothing if it is not there. */
  removeSandbox(podUid: string): Promise<void>;
  /** Pods that have a sandbox, or remains of one. */
  sandboxes(): readonly string[];
  hasSandbox(podUid: string): boolean;

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

  /** Runs one more program in a running container, as the container's user and with its rights. Throws ExecError. */
  exec(id: string, spec: ExecSpec): Promise<ExecSession>;
  /** What a running container writes from now on, and its stdin if it has one and that is wanted. Any number at once. Throws ExecError. */
  attach(id: string, options: { readonly hasStdin: boolean }): Promise<Attachment>;
}

export interface SandboxSpec {
  readonly podUid: string;
  readonly podName: string;
  readonly podNamespace: string;
  readonly hostname: string;
  /** Its containers see each other's processes. */
  readonly hasSharedProcesses: boolean;
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
  readonly security: ContainerSecurity;
  readonly resources: ContainerResources;
  /** Whose processes it sees: its own, those of the pod (SandboxSpec), the machine's, or another container's. */
  readonly processes: "own" | "pod" | "host" | { readonly of: string };
  /** "once": closed for good when the first who attached with stdin ends it or leaves. */
  readonly stdin: "none" | "open" | "once";
  /** A terminal is its stdin, stdout and stderr; all output counts as stdout. */
  readonly hasTty: boolean;
  /** Absolute; its directory is made. Gets the output in the CRI format. */
  readonly logPath: string;
}

export interface ContainerSecurity {
  /** All rights, all devices, nothing masked. */
  readonly isPrivileged: boolean;
  /** Complete, without "CAP_", sorted; those that the agent itself lacks are left out by the runtime. */
  readonly capabilities: readonly string[];
  /** No program that it starts has more rights than itself: set-user bits and file capabilities count for nothing. */
  readonly isWithoutNewPrivileges: boolean;
  /** "default" refuses what no ordinary program needs; a profile is in the format of other runtimes (JSON, parsed). */
  readonly seccomp: "unconfined" | "default" | { readonly profile: object };
  /** Parts of /proc that say too much are hidden. */
  readonly isProcMasked: boolean;
}

/** Of its cgroup, where the machine has the controller; undefined: no limit. */
export interface ContainerResources {
  readonly memoryLimitBytes: number | undefined;
  /** Thousandths of a processor: its share when all want more, and the most that it gets. */
  readonly milliCpuRequest: number;
  readonly milliCpuLimit: number | undefined;
  readonly pidsLimit: number | undefined;
  /** -1000 to 1000. Where the agent may not lower it, it stays as near as it may. */
  readonly oomScoreAdjust: number;
}

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export interface ExecSpec {
  readonly argv: readonly string[];
  readonly hasStdin: boolean;
  readonly hasTty: boolean;
}

export interface ExecSession extends AsyncDisposable {
  /** Ending it is the program's end of file (with a terminal: Ctrl-D). */
  readonly stdin: Writable | undefined;
  readonly stdout: Readable;
  /** Undefined with a terminal. */
  readonly stderr: Readable | undefined;
  /** Does nothing without a terminal. */
  resize(size: TerminalSize): void;
  /** Settles when the program has ended and all its output was given to the streams; what it left in the background is not waited for. */
  readonly ended: Promise<Pick<ContainerEnd, "exitCode" | "signal">>;
  /** Ends the program and all that it started, and settles when they are gone. Does nothing after the end. */
  [Symbol.asyncDispose](): Promise<void>;
}

export interface Attachment extends Disposable {
  /** Undefined if the container has none. Ending it does what ContainerSpec.stdin says. */
  readonly stdin: Writable | undefined;
  /** End with the container. Who does not read loses what does not fit; the container never waits. */
  readonly stdout: Readable;
  readonly stderr: Readable | undefined;
  readonly hasTty: boolean;
  resize(size: TerminalSize): void;
  /** Leaves; the container goes on. */
  [Symbol.dispose](): void;
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
  readonly hasTty: boolean;
  readonly stdin: ContainerSpec["stdin"];
  /** Of the container's first process, as the host numbers it; while it runs. */
  readonly pid: number | undefined;
  /** What was mounted at its start, by ContainerMount.containerPath. Missing: the runtime cannot tell. */
  readonly mountMarks?: Readonly<Record<string, MountMark>>;
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
  /** It, or a process of it, was killed because its memory limit was reached. */
  readonly isOutOfMemory: boolean;
}

/** There is no such image here; the message says how to bring it. */
export class ImageMissingError extends Error {
  override readonly name = "ImageMissingError";
}

/** The container was not started. The message is for the pod's events and status, and has no secrets in it. */
export class StartError extends Error {
  override readonly name = "StartError";
}

/** The program was not started in the container; `exitCode` is what a shell would say (126, 127), if that was tried. */
export class ExecError extends Error {
  override readonly name = "ExecError";
  readonly exitCode: number | undefined;

  constructor(message: string, options: ErrorOptions & { readonly exitCode?: number } = {}) {
    super(message, options);
    this.exitCode = options.exitCode;
  }
}
