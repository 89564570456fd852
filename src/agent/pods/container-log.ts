// The log of a container that nobody will ask for again. The runtime leaves it when it removes the container, since the last one that
// ended is still read; without this, a container that ends again and again would fill the disk.

import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { rotationStampOf } from "../../runtime/logs/rotated-logs.ts";
import type { ContainerStatus } from "../../runtime/runtime.ts";
import { namesIn } from "../names-in.ts";

/** With all that was rotated. */
export function removeContainerLog({ logPath }: Pick<ContainerStatus, "logPath">): void {
  const directory = dirname(logPath);
  for (const name of namesIn(directory)) {
    if (rotationStampOf(logPath, name) !== undefined)
      rmSync(join(directory, name), { force: true });
  }
  rmSync(logPath, { force: true });
}
