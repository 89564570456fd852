// What a pod can read about itself, as files.

import type { DownwardAPIVolumeFile, Pod } from "../../../api/types.ts";
import { volumeFieldValue } from "../../fields/field-ref.ts";
import { resourceFieldValue } from "../../fields/resource-field.ts";
import { aggregated, type FileDefaults, requiredMode, type VolumeFiles } from "./volume-files.ts";

export interface AboutPod {
  readonly pod: Pod;
  /** Of the node: stands in for limits that are not set. */
  readonly allocatable: Readonly<Record<string, string>>;
}

/** Every item is tried: the error tells of all that cannot be had. */
export function downwardFiles(
  items: readonly DownwardAPIVolumeFile[],
  about: AboutPod,
  defaults: FileDefaults,
): VolumeFiles {
  const mode = requiredMode(defaults);
  const errors: Error[] = [];
  const files = items.map((item): VolumeFiles[number] => {
    let text = "";
    try {
      text = textOf(item, about);
    } catch (err) {
      errors.push(err as Error);
    }
    const uid = item.user ?? defaults.user;
    return [item.path, { data: Buffer.from(text), mode: item.mode ?? mode, uid }];
  });
  const failure = aggregated(errors);
  if (failure) throw failure;
  return files;
}

/** An item that asks for nothing is an empty file, as in the original. */
function textOf(item: DownwardAPIVolumeFile, { pod, allocatable }: AboutPod): string {
  const { fieldRef, resourceFieldRef } = item;
  if (fieldRef) return volumeFieldValue(pod, fieldRef.fieldPath);
  if (!resourceFieldRef) return "";
  const { containerName = "", resource, divisor } = resourceFieldRef;
  return resourceFieldValue({ pod, containerName, resource, divisor, allocatable });
}
