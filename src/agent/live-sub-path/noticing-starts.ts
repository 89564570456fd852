// A runtime that tells of every container that it has started, before it answers.

import type { ContainerStatus, Runtime } from "../../runtime/runtime.ts";

/** `started` must not throw. */
export function noticingStarts(
  runtime: Runtime,
  started: (status: ContainerStatus) => Promise<void>,
): Runtime {
  return {
    get version() {
      return runtime.version;
    },
    get ready() {
      return runtime.ready;
    },
    run: (signal) => runtime.run(signal),
    list: (podUid) => runtime.list(podUid),
    makeSandbox: (sandbox) => runtime.makeSandbox(sandbox),
    removeSandbox: (podUid) => runtime.removeSandbox(podUid),
    sandboxes: () => runtime.sandboxes(),
    hasSandbox: (podUid) => runtime.hasSandbox(podUid),
    image: (name) => runtime.image(name),
    async start(spec) {
      const status = await runtime.start(spec);
      await started(status);
      return status;
    },
    stop: (id, options) => runtime.stop(id, options),
    remove: (id) => runtime.remove(id),
    onExit: (handler) => runtime.onExit(handler),
    exec: (id, spec) => runtime.exec(id, spec),
    attach: (id, options) => runtime.attach(id, options),
  };
}
