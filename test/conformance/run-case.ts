// Runs one case: its requests in order, and at the end what its streams have told.

import { setTimeout as sleep } from "node:timers/promises";
import { compareAnswer } from "./compare-answer.ts";
import type { ScriptCase, Step } from "./script.ts";
import { type GrowingAnswer, patienceMs, type ScriptClient } from "./script-client.ts";
import type { Variables } from "./script-variables.ts";

export interface CaseEnvironment {
  readonly client: ScriptClient;
  readonly namespace: string;
  /** Shared by the cases of a file. */
  readonly variables: Variables;
}

const pollMs = 50;

/** Goes on after an answer that was not as expected, and says all that was not. */
export async function runCase(
  { steps }: ScriptCase,
  environment: CaseEnvironment,
): Promise<readonly string[]> {
  const faults: string[] = [];
  const note = (step: Step, found: readonly string[]): void => {
    if (found.length > 0) faults.push([`${step.at}: ${step.text}`, ...found].join("\n  "));
  };
  const streams: { readonly step: Step; readonly answer: GrowingAnswer }[] = [];
  try {
    for (const step of steps) {
      if (step.inBackground) {
        streams.push({ step, answer: await environment.client.send(step.request, environment) });
      } else {
        note(step, await (step.isRepeated ? repeat : ask)(step, environment));
      }
    }
    for (const { step, answer } of streams) {
      const events = step.facts.filter(({ text }) => text.startsWith("event: "));
      const told = await answer.withEvents(events.length);
      note(step, compareAnswer(step, told, environment.variables));
    }
  } finally {
    for (const { answer } of streams) answer.close();
  }
  return faults;
}

async function ask(step: Step, environment: CaseEnvironment): Promise<readonly string[]> {
  const answer = await environment.client.send(step.request, environment);
  return compareAnswer(step, await answer.whole(), environment.variables);
}

/** For what the server does in its own time. */
async function repeat(step: Step, environment: CaseEnvironment): Promise<readonly string[]> {
  const giveUpMs = performance.now() + patienceMs;
  let faults = await ask(step, environment);
  while (faults.length > 0 && performance.now() < giveUpMs) {
    await sleep(pollMs);
    faults = await ask(step, environment);
  }
  return faults;
}
