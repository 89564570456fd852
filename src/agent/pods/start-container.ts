// Starts one container: image, then everything that it is made of, then the start itself, then its postStart hook, which the next
// container waits for. Each step has its own reason for a container to wait, and its own events.

import type { Pod } from "../../api/types.ts";
import { isAbort } from "../../base/abort.ts";
import type { Image } from "../../runtime/image.ts";
import {
  type ContainerSpec,
  type ContainerStatus,
  ImageMissingError,
  StartError,
} from "../../runtime/runtime.ts";
import type { AnyContainer } from "../all-containers.ts";
import type { ContainerHealth } from "./container-health.ts";
import type { WaitingReason } from "./container-statuses.ts";
import type { ContainerStops } from "./container-stops.ts";
import type { FailedStarts } from "./failed-starts.ts";
import { graceSeconds } from "./grace-period.ts";
import { type ImageBackoff, isImageName } from "./image-backoff.ts";
import { runHook } from "./lifecycle-hook.ts";
import type { ContainerKind, ContainerToStart } from "./pod-actions.ts";
import { containerHash, notes, podContainers } from "./pod-containers.ts";
import { aboutContainer, type Teller } from "./pod-events.ts";
import type { PodParts } from "./pod-parts.ts";
import { stopNotes } from "./pod-remains.ts";
import { unlessAborted } from "./unless-aborted.ts";

export interface StartRequest {
  readonly pod: Pod;
  readonly toStart: ContainerToStart;
  readonly images: ImageBackoff;
  readonly health: ContainerHealth;
  readonly stops: ContainerStops;
  readonly failedStarts: FailedStarts;
  readonly signal: AbortSignal;
}

/** Why a container was not started. */
export class StartFailure extends Error implements WaitingReason {
  override readonly name = "StartFailure";
  readonly reason: string;
  /** It is not worth trying before. */
  readonly retryAtMs: number | undefined;

  constructor(
    reason: string,
    message: string,
    options: ErrorOptions & { retryAtMs?: number } = {},
  ) {
    super(message, options);
    this.reason = reason;
    this.retryAtMs = options.retryAtMs;
  }
}

const imageReasons: ReadonlySet<string> = new Set([
  "ErrImagePull",
  "ImagePullBackOff",
  "ErrImageNeverPull",
  "InvalidImageName",
]);

const POST_START_FAILED = "PostStartHookError";
const CREATED = "Container created";

const typeNames: Readonly<Record<ContainerKind, string>> = {
  init: "init_container",
  regular: "container",
  ephemeral: "ephemeral_container",
};

/** Throws StartFailure, or whatever `signal` aborted with. */
export async function startContainer(parts: PodParts, request: StartRequest): Promise<void> {
  const { pod, toStart, failedStarts, signal } = request;
  const { container, attempt, kind } = toStart;
  const tell = aboutContainer(parts.events, pod, container.name);
  try {
    const image = await findImage(parts, request, tell);
    const spec = await prepare(parts, request, image);
    // What is started cannot be taken back: not after somebody wants it to stop.
    signal.throwIfAborted();
    const started = await start(parts, spec, { tell, failedStarts });
    await postStart(parts, request, started);
  } catch (err) {
    if (err instanceof StartFailure && err.reason !== POST_START_FAILED) {
      // Image problems have told their own story already.
      tell(
        "Warning",
        "Failed",
        `Error: ${imageReasons.has(err.reason) ? err.reason : err.message}`,
      );
    }
    throw err;
  }
  parts.metrics.started.inc({ container_type: typeNames[kind] });
  if (attempt > 0) parts.metrics.restarts.inc();
}

/** How long people see that it failed, before they see that it waits. */
const FAILURE_SHOWN_MS = 1000;

async function findImage(
  { runtime, clock }: PodParts,
  { toStart, images }: StartRequest,
  tell: Teller,
): Promise<Image> {
  const { image: name = "", imagePullPolicy } = toStart.container;
  const quoted = JSON.stringify(name);
  if (!isImageName(name)) {
    const message = `Failed to apply default image tag ${quoted}: couldn't parse image name ${quoted}: invalid reference format`;
    tell("Warning", "InspectFailed", message);
    throw new StartFailure("InvalidImageName", message);
  }
  const waiting = images.waiting(name);
  if (waiting !== undefined) {
    const message = `Back-off pulling image ${quoted}`;
    tell("Normal", "BackOff", message);
    const { untilMs: retryAtMs, text } = waiting;
    throw new StartFailure("ImagePullBackOff", `${message}: ${text}`, { retryAtMs });
  }
  try {
    const image = await runtime.image(name);
    images.found(name);
    const message = `Container image ${quoted} already present on machine and can be accessed by the pod`;
    tell("Normal", "Pulled", message);
    return image;
  } catch (err) {
    if (imagePullPolicy === "Never" && err instanceof ImageMissingError) {
      const message = `Container image ${quoted} is not present with pull policy of Never`;
      tell("Warning", "ErrImageNeverPull", message);
      throw new StartFailure("ErrImageNeverPull", message, { cause: err });
    }
    const text = messageOf(err);
    tell("Warning", "Failed", `Failed to pull image ${quoted}: ${text}`);
    const lookAgainMs = images.failed(name, `ErrImagePull: ${text}`);
    const retryAtMs = Math.min(clock.now() + FAILURE_SHOWN_MS, lookAgainMs);
    throw new StartFailure("ErrImagePull", text, { cause: err, retryAtMs });
  }
}

async function prepare(
  parts: PodParts,
  { pod, toStart, signal }: StartRequest,
  image: Image,
): Promise<ContainerSpec> {
  const { container, attempt, backoffMs } = toStart;
  try {
    const targetId = targetOf(parts, pod, container);
    const spec = await parts.prepareContainer({ pod, container, attempt, image, targetId }, signal);
    const annotations = {
      ...spec.annotations,
      [notes.hash]: containerHash(container),
      [notes.backoffMs]: String(backoffMs),
      ...stopNotes(pod, container),
      [notes.bootId]: parts.node.bootId,
    };
    return { ...spec, annotations };
  } catch (err) {
    if (err instanceof StartFailure || isAbort(err, signal)) throw err;
    throw new StartFailure("CreateContainerConfigError", messageOf(err), { cause: err });
  }
}

/** Whose processes an ephemeral container is to see. It has to run: its namespace goes with it. */
function targetOf({ runtime }: PodParts, pod: Pod, container: AnyContainer): string | undefined {
  const name = "targetContainerName" in container ? (container.targetContainerName ?? "") : "";
  if (name === "") return undefined;
  const { uid = "" } = pod.metadata;
  const [target] = podContainers(runtime.list(uid), uid).get(name) ?? [];
  if (target === undefined) throw new Error(`unable to find target container ${name}`);
  if (target.end === undefined) return target.id;
  const message = `invalid target container: container ${JSON.stringify(target.id)} is not running`;
  throw new StartFailure("CreateContainerError", message);
}

async function start(
  { runtime }: PodParts,
  spec: ContainerSpec,
  { tell, failedStarts }: { readonly tell: Teller; readonly failedStarts: FailedStarts },
): Promise<ContainerStatus> {
  let started: ContainerStatus;
  try {
    started = await runtime.start(spec);
  } catch (err) {
    const message = messageOf(err);
    const isRefused = err instanceof StartError && err.cause === undefined;
    // What went wrong around it goes by; a program that does not start is one that has ended.
    if (isRefused) {
      tell("Normal", "Created", CREATED);
      failedStarts.add(spec, message);
    }
    const reason = err instanceof StartError ? "RunContainerError" : "CreateContainerError";
    throw new StartFailure(reason, message, { cause: err });
  }
  tell("Normal", "Created", CREATED);
  tell("Normal", "Started", "Container started");
  return started;
}

/** A container whose hook fails is stopped: it is not what its pod wanted. */
async function postStart(
  parts: PodParts,
  { pod, toStart, health, stops, signal }: StartRequest,
  started: ContainerStatus,
): Promise<void> {
  const { container } = toStart;
  const handler = container.lifecycle?.postStart;
  if (handler === undefined) return;
  using _held = health.hold(started.id);
  try {
    await runHook(parts, { pod, container, containerId: started.id, handler }, signal);
  } catch (err) {
    if (isAbort(err, signal)) throw err;
    // Not with its message: who may read events may not see what the program said.
    const tell = aboutContainer(parts.events, pod, container.name);
    tell("Warning", "FailedPostStartHook", "PostStartHook failed");
    const message = "FailedPostStartHook";
    await unlessAborted(
      stops.stop({ pod, container: started, message, graceSeconds: graceSeconds(pod) }),
      signal,
    );
    throw new StartFailure(POST_START_FAILED, messageOf(err), { cause: err });
  }
}

/** Only its own words: causes may quote what is nobody's business. */
export function messageOf(err: unknown): string {
  return err instanceof Error ? err.message : "unknown error";
}
