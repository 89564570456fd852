// What `driftless status --wait` says while it waits, and when it has waited in vain. Pure.

import { shortVersion } from "../../base/content-version.ts";
import { plainText } from "../plain-text.ts";
import { type Consumer, ownerOf } from "./consumers.ts";
import { cutOff, type Look } from "./look.ts";
import { consumersOf, type StatusReport, stateWord } from "./status-report.ts";
import { useText } from "./status-text.ts";

export function lacking(report: StatusReport): readonly Consumer[] {
  return consumersOf(report).filter(({ judged }) => judged.state !== "InSync");
}

/** "17/20 have a1b2c3d4e5, waiting for api-1 web env (frozen) and 2 more" */
export function waitText(report: StatusReport, look: Look): string {
  const missing = lacking(report);
  const total = consumersOf(report).length;
  const [first] = missing;
  const [rollout] = report.rollouts;
  const waits =
    first === undefined
      ? rollout && `${rollout.workload}: ${rollout.message}`
      : `${first.pod} ${useText(first.use)} (${stateWord(first.judged.state)})`;
  const more = missing.length > 1 ? ` and ${missing.length - 1} more` : "";
  const text = `${total - missing.length}/${total} have ${wantedText(report)}, waiting for ${waits ?? "nobody"}${more}`;
  const line = plainText(text);
  return look.columns === undefined ? line : cutOff(look, line, look.columns - 1);
}

const BAR = 20;

/** The same behind a bar. */
export function waitBar(report: StatusReport, look: Look): string {
  const total = consumersOf(report).length;
  const done = total - lacking(report).length;
  const full = total === 0 ? 0 : Math.floor((BAR * done) / total);
  const [on, off] = look.isUnicode ? ["█", "░"] : ["#", "."];
  const room = look.columns === undefined ? undefined : look.columns - BAR - 3;
  return `[${on.repeat(full)}${off.repeat(BAR - full)}] ${waitText(report, { ...look, columns: room })}`;
}

/** Undefined while time alone may do. */
export function blockedText(consumer: Consumer): string | undefined {
  const { judged, use } = consumer;
  if (judged.reason === "") return undefined;
  return plainText(
    `In the way: ${use.how} of ${ownerOf(consumer)}: ${judged.reason}: ${judged.message}`,
  );
}

/** A line for each that lacks it, with the reason. */
export function lackText(report: StatusReport, timeoutMs: number): string {
  const lines = lacking(report).map(({ pod, use, judged }) => {
    const why = [judged.reason, judged.message].filter((part) => part !== "").join(": ");
    return `  ${pod} ${useText(use)} is ${stateWord(judged.state)}: ${why}`;
  });
  const rollouts = report.rollouts.map(({ workload, message }) => `  ${workload}: ${message}`);
  const head = `error: not everyone has ${wantedText(report)} after ${timeoutMs / 1000} s:`;
  return [head, ...[...lines, ...rollouts].map(plainText)].join("\n");
}

/** "a1b2c3d4e5", or what to call it if there are several. */
function wantedText({ objects }: StatusReport): string {
  const [one, ...others] = objects;
  if (one === undefined || others.length > 0) return "what they should";
  const { version } = one;
  return version === undefined || version === "gone" ? "what they should" : shortVersion(version);
}
