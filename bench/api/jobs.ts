// What the bench asks of its load generator, a process of its own, and what it hears back. Everything here goes
// over IPC as JSON.

/** A server, and who we are there. PEM texts. */
export interface Target {
  readonly host: string;
  readonly port: number;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export type Operation = "create" | "update" | "patch" | "get" | "list";

/** Each client sends the next request when it has the answer to the last. */
export interface RequestsJob {
  readonly do: "requests";
  readonly target: Target;
  readonly operation: Operation;
  readonly namespace: string;
  /** Names begin with it. Updates and gets of client i are of the object `${prefix}-${i}`, which exists. */
  readonly prefix: string;
  /** All clients use the object of the first. */
  readonly isShared?: boolean;
  readonly bytes: number;
  readonly clients: number;
  /** Ends after this time, or after so many operations. */
  readonly ms: number;
  readonly count?: number;
}

/** Objects of which one is updated at a time, and watchers that see it. */
export interface FanOutJob {
  readonly do: "fan-out";
  readonly target: Target;
  readonly namespace: string;
  readonly prefix: string;
  readonly watchers: number;
  /** All on `${prefix}-0`, or watcher i on `${prefix}-${i}`; they exist. */
  readonly scope: "one" | "each";
  readonly bytes: number;
  readonly updates: number;
  /** If not 0: after that, for so long, updates as fast as they are acknowledged. */
  readonly floodMs: number;
}

/** Opens watches and keeps them until "release". */
export interface HoldJob {
  readonly do: "hold";
  readonly target: Target;
  readonly namespace: string;
  readonly prefix: string;
  readonly watchers: number;
  /** HTTP/1.1 with a connection each; or HTTP/2, shared by so many connections. */
  readonly http2Connections: number | undefined;
}

export interface ReleaseJob {
  readonly do: "release";
}

/** The same concurrency on a bare etcd. */
export interface EtcdJob {
  readonly do: "etcd";
  readonly endpoint: string;
  readonly operation: "put" | "get";
  readonly bytes: number;
  readonly clients: number;
  readonly ms: number;
}

export type Job = RequestsJob | FanOutJob | HoldJob | ReleaseJob | EtcdJob;

export interface Load {
  readonly operations: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Processor time of the generator: near 100 % of the time it is what is measured. */
  readonly generatorCpuMs: number;
  readonly elapsedMs: number;
}

export interface FanOut {
  /** From sending the update to the event at a watcher, over all watchers and updates. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** From the acknowledgement, which the updater may get after the event: then it counts as 0. */
  readonly afterAckP50Ms: number;
  readonly afterAckP99Ms: number;
  readonly floodEventsPerSecond: number;
  readonly missed: number;
}

export interface Results {
  readonly requests: Load;
  readonly "fan-out": FanOut;
  readonly hold: number;
  readonly release: number;
  readonly etcd: Load;
}
