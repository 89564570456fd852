// An explanation for people. The first lines answer; the rest is for whoever asks further.

import type { UseState } from "../api/config/use-state.ts";
import { ageOf } from "../api/duration.ts";
import type { ContainerStateTerminated, ContainerStatus, ReloadReport } from "../api/types.ts";
import { type Colour, type Look, painted, wrapped } from "./answers/look.ts";
import { type ExplainedUse, type Explanation, type RolledFor, timeOf } from "./explanation.ts";
import { plainText } from "./plain-text.ts";

const COLOURS: Readonly<Record<string, Colour>> = {
  restart: "yellow",
  frozen: "red",
  hot: "green",
  signal: "green",
  http: "green",
  exec: "green",
};
const MAX_EVENTS = 10;

export function explanationText(of: Explanation, look: Look, nowMs: number): string {
  const text = new ExplanationText(look, nowMs);
  return [...text.head(of), ...text.containers(of), ...text.uses(of), ...text.rest(of)]
    .map((line) => `${wrapped(look, line, "      ")}\n`)
    .join("");
}

class ExplanationText {
  readonly #look: Look;
  readonly #nowMs: number;

  constructor(look: Look, nowMs: number) {
    this.#look = look;
    this.#nowMs = nowMs;
  }

  *head({ owners, node, createdAt, rolledFor }: Explanation): Iterable<string> {
    const [pod = "", ...above] = owners.map(plainText);
    const of = above.length === 0 ? "nothing would make it anew" : `of ${above.join(", of ")}`;
    const where = node === "" ? "on no node yet" : `on ${plainText(node)}`;
    yield `${painted(this.#look, "bold", pod)}: ${of}; ${where}; made ${this.#ago(createdAt)}`;
    yield rolledFor === undefined
      ? "Its template was never rolled because of a change of configuration."
      : `Its template was last rolled because ${changedText(rolledFor)}, ${this.#ago(rolledFor.at)}.`;
  }

  *containers({ containers }: Explanation): Iterable<string> {
    if (containers.length === 0) return;
    yield* this.#title("Containers");
    for (const status of containers) yield `  ${plainText(status.name)}: ${this.#status(status)}`;
  }

  *uses({ uses, asksForSomething }: Explanation): Iterable<string> {
    yield* this.#title("What a change does");
    if (uses.length === 0) yield "  It uses no ConfigMap and no Secret.";
    for (const use of uses) yield* this.#use(use);
    if (asksForSomething || uses.length === 0) return;
    yield "  No annotation asks for anything: driftless.dev/reload: auto on the workload would restart it where it cannot follow.";
  }

  *rest({ problems, events }: Explanation): Iterable<string> {
    if (problems.length > 0) yield* this.#title("Annotations that are not understood");
    for (const problem of problems) yield `  ${painted(this.#look, "red", plainText(problem))}`;
    if (events.length > 0) yield* this.#title("Events");
    for (const event of events.slice(-MAX_EVENTS)) {
      const { reason = "", message = "", involvedObject } = event;
      const about = `${involvedObject.kind?.toLowerCase() ?? ""}/${involvedObject.name ?? ""}`;
      yield `  ${this.#ago(timeOf(event))}  ${plainText(about)}  ${plainText(reason)}: ${plainText(message.trim())}`;
    }
  }

  *#use({ use, effects, state, message, reload }: ExplainedUse): Iterable<string> {
    const { kind, name, how, container, mountPath } = use;
    const where = mountPath === "" ? how : `${how} ${mountPath}`;
    yield `  ${plainText(`${kind.toLowerCase()}/${name}, ${where} of ${container}`)}`;
    for (const { keys, effect, why } of effects) {
      const which = keys.length === 0 ? "" : `${plainText(keys.join(", "))}: `;
      const word = painted(this.#look, COLOURS[effect] ?? "dim", effect);
      yield `    ${which}${word}, ${plainText(why)}`;
    }
    if (state !== undefined) yield `    now ${stateText(state, message)}`;
    if (reload) yield `    ${this.#told(reload)}`;
  }

  #told({ action, result, attempts = 1, at, message = "" }: ReloadReport): string {
    const tries = attempts > 1 ? ` after ${attempts} tries` : "";
    const because = message === "" ? "" : `: ${plainText(message)}`;
    return `last told by ${plainText(action)}: ${result}${tries}, ${this.#ago(at)}${because}`;
  }

  #status({ state, lastState, restartCount }: ContainerStatus): string {
    const now = this.#state(state);
    if (restartCount === 0) return `${now}; never restarted in this pod`;
    const times = restartCount === 1 ? "once" : `${restartCount} times`;
    return `${now}; restarted ${times}${this.#last(lastState?.terminated)}`;
  }

  #state(state: ContainerStatus["state"]): string {
    if (state?.running) return `started ${this.#ago(state.running.startedAt)}`;
    if (state?.terminated) return `ended with exit code ${state.terminated.exitCode}`;
    return `waiting: ${plainText(state?.waiting?.reason ?? "for its turn")}`;
  }

  #last(ended: ContainerStateTerminated | undefined): string {
    if (ended === undefined) return "";
    const { exitCode, reason = "", finishedAt } = ended;
    const why = reason === "" ? "" : ` (${plainText(reason)})`;
    return `, last after exit code ${exitCode}${why} ${this.#ago(finishedAt)}`;
  }

  #ago(time: string | null | undefined): string {
    if (Number.isNaN(Date.parse(time ?? ""))) return "at an unknown time";
    return `${ageOf(time ?? undefined, this.#nowMs)} ago`;
  }

  *#title(text: string): Iterable<string> {
    yield "";
    yield painted(this.#look, "bold", text);
  }
}

function stateText(state: UseState, message: string): string {
  return state === "InSync" ? "in sync" : `${state.toLowerCase()}: ${plainText(message)}`;
}

function changedText({ changed }: RolledFor): string {
  const objects = Object.entries(changed).map(([object, keys]) =>
    plainText(keys.includes("*") ? `${object} changed` : `${object} changed (${keys.join(", ")})`),
  );
  return objects.join(" and ");
}
