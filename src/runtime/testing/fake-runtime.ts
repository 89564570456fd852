// A runtime whose containers are entries in a list. They run until a test ends them, or until they are asked to; time is that of
// the clock. It keeps to the contract: what is not allowed throws.

import type { Clock } from "../../base/clock.ts";
import type { Image } from "../image.ts";
import {
  type ContainerSpec,
  type ContainerStatus,
  ExecError,
  type ExecSpec,
  ImageMissingError,
  type Runtime,
  type SandboxSpec,
} from "../runtime.ts";
import { FakeAttachment, type FakeExecHandler, FakeExecSession } from "./fake-sessions.ts";

type Call = keyof Pick<
  Runtime,
  "makeSandbox" | "removeSandbox" | "image" | "start" | "stop" | "remove" | "exec" | "attach"
>;

export class FakeRuntime implements Runtime {
  readonly version = "fake://0";
  readonly ready: Promise<void> = Promise.resolve();
  /** What was done, in order: "start web-0", "stop web-0 30000". */
  readonly log: string[] = [];
  readonly specs: ContainerSpec[] = [];
  /** Every other image is there. */
  readonly missingImages: Set<string> = new Set();
  /** Names of containers that end only when they are killed. */
  readonly stubborn: Set<string> = new Set();
  /** All that was run in containers, in order; `onExec` says how it goes. */
  readonly execs: FakeExecSession[] = [];
  onExec: FakeExecHandler = () => ({});
  readonly attachments: FakeAttachment[] = [];
  readonly #clock: Clock;
  readonly #containers: ContainerStatus[] = [];
  readonly #sandboxes = new Map<string, SandboxSpec>();
  readonly #handlers = new Set<(status: ContainerStatus) => void>();
  readonly #failures = new Map<Call, Error[]>();
  readonly #waiting = new Map<string, (() => void)[]>();
  readonly #outOfMemory = new Set<string>();
  #ids = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async run(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  /** The next call of this sort throws. */
  failNext(call: Call, err: Error): void {
    this.#failures.set(call, [...(this.#failures.get(call) ?? []), err]);
  }

  /** The newest container of this name ends by itself. */
  exit(name: string, exitCode = 0): void {
    const found = this.#newest(name);
    this.#end(found.id, exitCode);
  }

  /** The newest container of this name is killed because it uses too much memory. */
  killForMemory(name: string): void {
    const { id } = this.#newest(name);
    this.#outOfMemory.add(id);
    this.#end(id, 137, 9);
  }

  #newest(name: string): ContainerStatus {
    const found = this.#containers.findLast((one) => one.name === name && one.end === undefined);
    if (found === undefined) throw new Error(`Cannot end container "${name}": it does not run`);
    return found;
  }

  list(podUid?: string): readonly ContainerStatus[] {
    return this.#containers.filter((one) => podUid === undefined || one.podUid === podUid);
  }

  /** Names and attempts of what runs: "web-0". */
  get running(): readonly string[] {
    return this.#containers.filter(({ end }) => end === undefined).map(shortName);
  }

  sandboxes(): readonly string[] {
    return [...this.#sandboxes.keys()];
  }

  hasSandbox(podUid: string): boolean {
    return this.#sandboxes.has(podUid);
  }

  async makeSandbox(sandbox: SandboxSpec): Promise<void> {
    await this.#called("makeSandbox");
    this.#sandboxes.set(sandbox.podUid, sandbox);
  }

  async removeSandbox(podUid: string): Promise<void> {
    await this.#called("removeSandbox");
    if (this.#containers.some((one) => one.podUid === podUid && one.end === undefined)) {
      throw new Error(`Cannot remove the sandbox of ${podUid}: a container runs`);
    }
    if (this.#sandboxes.delete(podUid)) this.log.push(`remove sandbox ${podUid}`);
  }

  async image(name: string): Promise<Image> {
    await this.#called("image");
    if (this.missingImages.has(name)) throw new ImageMissingError(`no image ${name} here`);
    const config = {
      ...{ entrypoint: [], cmd: [], env: [] },
      ...{ user: "", workingDir: "", stopSignal: "" },
    };
    return { name, id: `sha256:${name}`, layers: ["/"], config };
  }

  async start(spec: ContainerSpec): Promise<ContainerStatus> {
    await this.#called("start");
    if (!this.#sandboxes.has(spec.podUid)) throw new Error("Cannot start: there is no sandbox");
    const { podUid, podName, podNamespace, name, attempt, annotations, image, logPath } = spec;
    const isTaken = this.#containers.some(
      (one) => one.podUid === podUid && one.name === name && one.end === undefined,
    );
    if (isTaken) throw new Error(`Cannot start container "${name}": one of this name runs`);
    const id = `c${++this.#ids}`;
    const status: ContainerStatus = {
      ...{ id, podUid, podName, podNamespace, name, attempt, annotations, logPath },
      ...{ imageName: image.name, imageId: image.id, startedAtMs: this.#clock.now() },
      ...{ hasTty: spec.hasTty, stdin: spec.stdin, pid: 1000 + this.#ids, end: undefined },
    };
    this.specs.push(spec);
    this.#containers.push(status);
    this.log.push(`start ${shortName(status)}`);
    return status;
  }

  async stop(id: string, { graceMs }: { readonly graceMs: number }): Promise<void> {
    await this.#called("stop");
    const found = this.#containers.find((one) => one.id === id);
    if (found === undefined || found.end !== undefined) return;
    this.log.push(`stop ${shortName(found)} ${graceMs}`);
    const ended = new Promise<void>((resolve) => {
      this.#waiting.set(id, [...(this.#waiting.get(id) ?? []), resolve]);
    });
    if (this.stubborn.has(found.name)) {
      this.#clock.schedule(graceMs, () => this.#end(id, 137, 9));
    } else {
      this.#end(id, 143, 15);
    }
    await ended;
  }

  async remove(id: string): Promise<void> {
    await this.#called("remove");
    const index = this.#containers.findIndex((one) => one.id === id);
    const found = this.#containers[index];
    if (found === undefined) return;
    if (found.end === undefined) throw new Error(`Cannot remove container ${id}: it runs`);
    this.#containers.splice(index, 1);
    this.log.push(`remove ${shortName(found)}`);
  }

  onExit(handler: (status: ContainerStatus) => void): Disposable {
    this.#handlers.add(handler);
    return { [Symbol.dispose]: () => this.#handlers.delete(handler) };
  }

  async exec(id: string, spec: ExecSpec): Promise<FakeExecSession> {
    await this.#called("exec");
    const container = this.#running(id);
    const program = this.onExec(spec, container);
    const session = new FakeExecSession(container, spec);
    this.execs.push(session);
    this.log.push(`exec ${shortName(container)} ${spec.argv.join(" ")}`);
    if (program instanceof Promise) {
      void program.then((how) => session.end(how));
    } else {
      session.end(program);
    }
    return session;
  }

  async attach(id: string): Promise<FakeAttachment> {
    await this.#called("attach");
    const attachment = new FakeAttachment(this.#running(id));
    this.attachments.push(attachment);
    return attachment;
  }

  #running(id: string): ContainerStatus {
    const found = this.#containers.find((one) => one.id === id && one.end === undefined);
    if (found === undefined) throw new ExecError(`container ${id} does not run`);
    return found;
  }

  #end(id: string, exitCode: number, signal?: number): void {
    const index = this.#containers.findIndex((one) => one.id === id);
    const found = this.#containers[index];
    if (found === undefined || found.end !== undefined) return;
    const how = { exitCode, signal, isUnknown: false, isOutOfMemory: this.#outOfMemory.delete(id) };
    const end = { ...how, finishedAtMs: this.#clock.now() };
    const status = { ...found, pid: undefined, end };
    this.#containers[index] = status;
    for (const session of this.execs) {
      if (session.containerId === id) void session[Symbol.asyncDispose]();
    }
    for (const attachment of this.attachments) {
      if (attachment.containerId === id) attachment[Symbol.dispose]();
    }
    for (const handler of this.#handlers) handler(status);
    for (const resolve of this.#waiting.get(id) ?? []) resolve();
    this.#waiting.delete(id);
  }

  async #called(call: Call): Promise<void> {
    const err = this.#failures.get(call)?.shift();
    await Promise.resolve();
    if (err !== undefined) throw err;
  }
}

function shortName({ name, attempt }: ContainerStatus): string {
  return `${name}-${attempt}`;
}
