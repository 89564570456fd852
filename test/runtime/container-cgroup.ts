// The cgroups of a container, as a test looks at them.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../src/base/clock.ts";
import type { Controller } from "../../src/runtime/cgroups/cgroup-hierarchies.ts";
import type { CgroupPlace } from "../../src/runtime/cgroups/cgroup-place.ts";
import { Cgroups, systemHierarchies } from "../../src/runtime/cgroups/cgroups.ts";

/** Why limits of this sort do not hold here; false if they do. For `skip`. */
export function cannotLimit(controller: Controller): string | false {
  if (process.platform !== "linux") return "cgroups need Linux";
  const options = { dataDirectory: "/", hierarchies: systemHierarchies, clock: systemClock };
  const missing = new Cgroups(options).missing();
  return missing.includes(controller)
    ? `there is no cgroup controller ${controller} for us`
    : false;
}

export function placeOf(root: string, id: string): CgroupPlace {
  const text = readFileSync(join(root, "runtime", "containers", id, "state.json"), "utf8");
  return (JSON.parse(text) as { readonly cgroup: CgroupPlace }).cgroup;
}

/** A file of the container's group for the controller: "" if there is none. */
export function cgroupFile(place: CgroupPlace, controller: Controller, name: string): string {
  const group = place.groups.find(({ controllers }) => controllers.includes(controller));
  try {
    return readFileSync(join(group?.directory ?? "", name), "utf8");
  } catch {
    return "";
  }
}
