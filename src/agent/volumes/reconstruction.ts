// What a former life left behind: the directories say it, there is no state file. What is found is uncertain until a pod wants it.

import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { isErrno } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import { type AgentPaths, unescapedPlugin } from "../agent-paths.ts";
import type { ActualVolume } from "./actual-state.ts";
import type { VolumePlugin } from "./volume-plugin.ts";

export interface Found {
  /** All that have a directory, also those without volumes. */
  readonly podUids: readonly string[];
  readonly volumes: readonly ActualVolume[];
}

export interface FindOptions {
  readonly paths: AgentPaths;
  readonly plugins: readonly VolumePlugin[];
  readonly logger: Logger;
}

/** Reads directories and nothing else. What cannot be read is reported and left as it is. */
export function findVolumes({ paths, plugins, logger }: FindOptions): Found {
  const directoriesIn = (directory: string): readonly string[] => {
    try {
      const entries: Dirent[] = readdirSync(directory, { withFileTypes: true });
      return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    } catch (err) {
      if (!isErrno(err, "ENOENT")) logger.warn("cannot look for volumes", { directory, err });
      return [];
    }
  };
  const podUids = directoriesIn(paths.pods);
  const volumes = podUids.flatMap((podUid) =>
    directoriesIn(paths.volumes(podUid)).flatMap((escaped): ActualVolume[] => {
      const plugin = unescapedPlugin(escaped);
      const maker = plugins.find(({ name }) => name === plugin);
      return directoriesIn(join(paths.volumes(podUid), escaped)).map((volume) => ({
        place: { podUid, plugin, volume },
        maker,
        state: "uncertain",
        isFound: true,
      }));
    }),
  );
  return { podUids, volumes };
}
