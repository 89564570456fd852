// How cells of several kinds show the same things.

import { type LabelSelectorJson, labelSelectorOf } from "../selectors/label-selector.ts";
import { SelectorError } from "../selectors/selector-error.ts";
import type { Container } from "../types.ts";
import { containersText, imagesText } from "./column-texts.ts";
import { type ColumnOf, column } from "./table-column.ts";

export const none = "<none>";
export const unset = "<unset>";

export function orNone(text: string | undefined): string {
  return text === undefined || text === "" ? none : text;
}

/** "a=b,c=d", sorted by key. */
export function labelsText(labels: Readonly<Record<string, string>> | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return orNone(pairs.sort().join(","));
}

export function selectorText(selector: LabelSelectorJson | null | undefined): string {
  return orNone(selectorOr(selector, "<error>"));
}

/** Empty for a selector without requirements; `refused` for one that is none. */
export function selectorOr(
  selector: LabelSelectorJson | null | undefined,
  refused: string,
): string {
  try {
    return labelSelectorOf(selector).toString();
  } catch (error) {
    if (error instanceof SelectorError) return refused;
    throw error;
  }
}

interface Containers {
  readonly containers?: readonly Pick<Container, "image" | "name">[] | null | undefined;
}

/** Names and images of a pod template's containers, for `-o wide`. */
export function containerColumns<R>(
  podSpecOf: (row: R) => Containers | undefined,
): readonly ColumnOf<R>[] {
  const listed = (row: R, key: "name" | "image") =>
    (podSpecOf(row)?.containers ?? []).map((container) => container[key] ?? "").join(",");
  return [
    column("Containers", containersText, (row) => listed(row, "name"), { wide: true }),
    column("Images", imagesText, (row) => listed(row, "image"), { wide: true }),
  ];
}

/** The first three, and how many more there are. */
export function firstThree(items: readonly string[], total: number = items.length): string {
  const shown = items.slice(0, 3).join(",");
  return items.length > 3 ? `${shown} + ${total - 3} more...` : shown;
}

/** Only a condition of status True counts; the first of its type decides. */
export function isConditionTrue(
  conditions: readonly { readonly type: string; readonly status: string }[] | undefined,
  type: string,
): boolean {
  return conditions?.find((condition) => condition.type === type)?.status === "True";
}
