// `driftless plan` for people and for scripts. Values of Secrets are in neither. Pure.

import type { JsonObject } from "../../api/json.ts";
import { shortVersion } from "../../base/content-version.ts";
import type { KeyDifference } from "../config-keys.ts";
import { keyDiffText } from "../key-diff.ts";
import { plainText } from "../plain-text.ts";
import { type Colour, type Look, painted, wrapped } from "./look.ts";
import { referenceText } from "./picture.ts";
import { type PlannedEffect, type PlannedObject, planSummary } from "./plan-effects.ts";
import { useText } from "./status-text.ts";
import { type TextColumn, textTable } from "./text-columns.ts";

export interface PlannedCheck {
  readonly policy: string;
  readonly check: string;
  /** Patterns; empty: all. */
  readonly keys: readonly string[];
}

export interface ObjectPlan extends PlannedObject {
  /** Undefined: there is none yet. */
  readonly before: string | undefined;
  /** Undefined: it cannot be known before the object is there. */
  readonly after: string | undefined;
  readonly differences: readonly KeyDifference[];
  readonly effects: readonly PlannedEffect[];
  readonly checks: readonly PlannedCheck[];
  /** Policies that hold every delivery for now. */
  readonly heldBy: readonly string[];
}

export interface Plan {
  readonly objects: readonly ObjectPlan[];
  readonly notes: readonly string[];
}

/** With a line end. */
export function planText({ objects, notes }: Plan, look: Look): string {
  const blocks = objects.map((one) => objectText(one, look));
  const said = notes.map((note) => wrapped(look, `Note: ${plainText(note)}`, "  "));
  const effects = objects.flatMap((one) => one.effects);
  const summary = objects.every(({ differences }) => differences.length === 0)
    ? "nothing changes"
    : planSummary(effects);
  const last = painted(look, "bold", wrapped(look, plainText(summary), "  "));
  return `${[...blocks, [...said, last].join("\n")].join("\n\n")}\n`;
}

const COLOURS: Readonly<Record<PlannedEffect["effect"]["effect"], Colour>> = {
  nothing: "dim",
  hot: "green",
  signal: "green",
  http: "green",
  exec: "green",
  restart: "yellow",
  frozen: "cyan",
};

const COLUMNS: readonly TextColumn[] = [
  { name: "CONSUMER", shrinks: { to: 12, from: "middle" } },
  { name: "USE", shrinks: { to: 12, from: "middle" } },
  { name: "EFFECT" },
  { name: "WHY" },
];

function objectText(plan: ObjectPlan, look: Look): string {
  const { object, differences, effects, checks, heldBy } = plan;
  const lines = [
    `${painted(look, "bold", plainText(referenceText(object)))}  ${versionsText(plan)}`,
  ];
  if (differences.length > 0) {
    lines.push(keyDiffText(differences, object.kind === "Secret").trimEnd());
  }
  for (const policy of heldBy) {
    lines.push(wrapped(look, `  held: the DeliveryPolicy ${plainText(policy)} is paused`, "    "));
  }
  if (checks.length > 0) {
    const names = checks.map(({ policy, check, keys }) => {
      const of = keys.length === 0 ? "" : ` (${keys.join(", ")})`;
      return `${policy}/${check}${of}`;
    });
    const text = `  must pass first, not tried here: ${plainText(names.join(", "))}`;
    lines.push(wrapped(look, text, "    "));
  }
  if (differences.length > 0) lines.push(...effectLines(effects, look));
  return lines.join("\n");
}

function versionsText({ before, after, differences }: ObjectPlan): string {
  const [from, to] = [before, after].map((one) => (one === undefined ? "" : shortVersion(one)));
  if (before === undefined) return to === "" ? "new" : `new, ${to}`;
  return differences.length === 0 ? `${from}, unchanged` : `${from} -> ${to}`;
}

/** Reasons go below where there is no room beside. */
function effectLines(effects: readonly PlannedEffect[], look: Look): readonly string[] {
  if (effects.length === 0) return ["  no pod uses it"];
  const rows = effects.map(({ owner, pods, use, effect }) => [
    { text: plainText(pods === 1 ? owner : `${owner} x${pods}`) },
    { text: use === undefined ? "-" : plainText(planUseText(use)) },
    { text: effect.effect, colour: COLOURS[effect.effect] },
    { text: plainText(effect.why) },
  ]);
  const indented = { ...look, columns: look.columns && look.columns - 2 };
  const wide = textTable({ ...look, columns: undefined, hasColour: false }, COLUMNS, rows);
  const room = indented.columns ?? Number.POSITIVE_INFINITY;
  if (wide.every((line) => line.length <= room)) {
    return textTable(indented, COLUMNS, rows).map((line) => `  ${line}`);
  }
  const reasons = [...new Set(effects.map(({ effect }) => effect.why))];
  const numbered = rows.map((row, at) => {
    const number = reasons.indexOf(effects[at]?.effect.why ?? "") + 1;
    return [...row.slice(0, 3), { text: `(${number})` }];
  });
  return [
    ...textTable(indented, COLUMNS, numbered),
    ...reasons.map((why, at) => wrapped(indented, `(${at + 1}) ${plainText(why)}`, "    ")),
  ].map((line) => line.replaceAll(/^/gm, "  "));
}

function planUseText(use: NonNullable<PlannedEffect["use"]>): string {
  const { kind, name, how, container, mountPath } = use;
  return useText({ kind, name, how, container, mountPath });
}

export function planJson({ objects, notes }: Plan): JsonObject {
  return {
    apiVersion: "driftless.dev/v1",
    kind: "ConfigPlan",
    summary: planSummary(objects.flatMap(({ effects }) => effects)),
    objects: objects.map((plan) => ({
      ...plan.object,
      ...(plan.before !== undefined && { before: plan.before }),
      ...(plan.after !== undefined && { after: plan.after }),
      changes: plan.differences.map(({ key, before, after }) => ({
        key,
        change: before === undefined ? "added" : after === undefined ? "removed" : "changed",
      })),
      checks: plan.checks.map((check) => ({ ...check, keys: [...check.keys] })),
      heldBy: [...plan.heldBy],
      consumers: plan.effects.map(effectJson),
    })),
    notes: [...notes],
  };
}

function effectJson({ owner, pods, use, effect }: PlannedEffect): JsonObject {
  return {
    owner,
    pods,
    ...(use !== undefined && {
      container: use.container,
      how: use.how,
      mountPath: use.mountPath,
      ...(use.keys !== undefined && { keys: [...use.keys] }),
    }),
    effect: effect.effect,
    why: effect.why,
  };
}
