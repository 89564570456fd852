// For an agent without a server: its pods are from files, and none of them may refer to objects.

import { aborted } from "../../base/abort.ts";
import type { UpkeptObjects } from "./upkept-objects.ts";

export class NoObjects implements UpkeptObjects {
  readonly oldestStalenessMs = 0;

  run(signal: AbortSignal): Promise<void> {
    return aborted(signal);
  }

  register(): void {}

  unregister(): void {}

  get(): Promise<never> {
    return Promise.reject(new Error("not supported due to running kubelet in standalone mode"));
  }

  peek(): "unknown" {
    return "unknown";
  }

  onChange(): Disposable {
    return { [Symbol.dispose]: () => undefined };
  }

  recheck(): Promise<void> {
    return Promise.resolve();
  }

  invalidate(): void {}
}
