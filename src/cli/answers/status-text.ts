// `driftless status` for people: for each object a line that says what it holds now, then a table of those who use it, then what is the matter
// and what would fix it.

import type { UseState } from "../../api/config/use-state.ts";
import { ageOf } from "../../api/duration.ts";
import type { ConfigUse } from "../../api/types.ts";
import { shortVersion } from "../../base/content-version.ts";
import { plainText } from "../plain-text.ts";
import { type Consumer, ownerOf } from "./consumers.ts";
import { type Colour, type Look, painted, wrapped } from "./look.ts";
import { referenceText } from "./picture.ts";
import {
  consumersOf,
  type ObjectReport,
  type StatusReport,
  stateWord,
  summaryText,
} from "./status-report.ts";
import { type TextCell, type TextColumn, textTable } from "./text-columns.ts";

export interface StatusTextOptions {
  readonly look: Look;
  readonly nowMs: number;
  /** Messages beside their rows, nodes and owners too, and nothing shortened. */
  readonly isWide: boolean;
  readonly hasNamespaces: boolean;
}

const STATE_COLOURS: Readonly<Record<UseState, Colour>> = {
  InSync: "green",
  Behind: "yellow",
  Frozen: "cyan",
  Rejected: "red",
  Unknown: "magenta",
};

/** With a line end. */
export function statusText(report: StatusReport, options: StatusTextOptions): string {
  const { look } = options;
  const consumers = consumersOf(report);
  const isNothing = report.objects.length === 0;
  const blocks = report.objects.map((object) => objectText(object, options));
  const hasUnconfirmed = consumers.some(
    ({ judged }) => judged.state === "InSync" && !judged.isConfirmed,
  );
  const tail = [
    ...report.rollouts.map(({ workload, message }) => `${workload}: ${message}`),
    ...(hasUnconfirmed ? [UNCONFIRMED] : []),
    ...report.notes.map((note) => `Note: ${note}`),
  ].map((line) => wrapped(look, plainText(line), "  "));
  const summary = isNothing ? "no pod uses a ConfigMap or Secret" : summaryText(consumers);
  const isWell = consumers.every(({ judged }) => judged.state === "InSync");
  const last = painted(look, isWell ? "green" : "bold", wrapped(look, plainText(summary), "  "));
  return `${[...blocks, [...tail, last].join("\n")].join("\n\n")}\n`;
}

const UNCONFIRMED =
  "not confirmed: it is on disk, where the process can read it; the process does not say what it runs with";

function objectText(report: ObjectReport, options: StatusTextOptions): string {
  const { look } = options;
  const name = nameText(report, options);
  const header = wrapped(look, `${name}  ${holdsText(report, options.nowMs)}`, "  ");
  // Coloured last: what is not seen has no width.
  const lines = [painted(look, "bold", name) + header.slice(name.length)];
  if (report.consumers.length > 0) {
    const indented = { ...look, columns: look.columns && look.columns - 2 };
    const rows = report.consumers.map((one) => cellsOf(one, options));
    const table = textTable(indented, options.isWide ? WIDE_COLUMNS : COLUMNS, rows);
    lines.push(...table.map((line) => `  ${line}`));
    if (!options.isWide) lines.push(...problemLines(report.consumers, look));
  }
  return lines.join("\n");
}

function nameText({ object }: ObjectReport, { hasNamespaces }: StatusTextOptions): string {
  return plainText(`${hasNamespaces ? `${object.namespace} ` : ""}${referenceText(object)}`);
}

/** "a1b2c3d4e5  revision 4, changed 5m ago by ann" */
function holdsText({ version, revision }: ObjectReport, nowMs: number): string {
  if (version === "gone") return "does not exist";
  const now = version === undefined ? "may not be read" : shortVersion(version);
  if (revision === undefined) return now;
  const { number, changedAt, author } = revision;
  const by = author === undefined || author === "" ? "" : ` by ${plainText(author)}`;
  return `${now}  revision ${number}, changed ${ageOf(changedAt, nowMs)} ago${by}`;
}

const COLUMNS: readonly TextColumn[] = [
  { name: "CONSUMER", shrinks: { to: 12, from: "middle" } },
  { name: "USE", shrinks: { to: 12, from: "middle" } },
  { name: "VERSION" },
  { name: "SINCE" },
  { name: "STATE" },
  { name: "REASON", shrinks: { to: 8, from: "end" } },
];

const WIDE_COLUMNS: readonly TextColumn[] = [
  ...["CONSUMER", "USE", "VERSION", "SINCE", "STATE", "REASON"].map((name) => ({ name })),
  ...["OWNER", "NODE", "KEYS", "MESSAGE"].map((name) => ({ name })),
];

function cellsOf(consumer: Consumer, { nowMs, isWide }: StatusTextOptions): readonly TextCell[] {
  const { pod, use, judged, isTerminating, node } = consumer;
  const { onDisk } = use;
  const cells: TextCell[] = [
    { text: plainText(pod) + (isTerminating ? " (ending)" : "") },
    { text: plainText(useText(use)) },
    { text: onDisk === undefined ? "-" : plainText(shortVersion(onDisk.hash)) },
    { text: judged.since === undefined ? "-" : ageOf(judged.since, nowMs) },
    { text: stateWord(judged.state), colour: STATE_COLOURS[judged.state] },
    { text: plainText(reasonText(consumer)) },
  ];
  if (!isWide) return cells;
  const { keys = [] } = use;
  return [
    ...cells,
    ...[ownerOf(consumer), node, keys.join(","), judged.message].map((text) => ({
      text: plainText(text),
    })),
  ];
}

/** "web env", "web /etc/config", "web /etc/app.conf (subPath)" */
export function useText({ container = "", how, mountPath = "" }: ConfigUse): string {
  if (mountPath === "") return `${container} ${how}`.trimStart();
  return how === "volume" ? `${container} ${mountPath}` : `${container} ${mountPath} (${how})`;
}

/** What is only on disk is never called applied. */
function reasonText({ judged }: Consumer): string {
  if (judged.state === "InSync") return judged.isConfirmed ? "applied" : "not confirmed";
  return judged.reason === "" ? "-" : judged.reason;
}

const MAX_PROBLEMS = 5;

/** Each matter once, with those that it is about. */
function problemLines(consumers: readonly Consumer[], look: Look): readonly string[] {
  const problems = consumers.filter(({ judged }) => judged.message !== "");
  const groups = [
    ...Map.groupBy(problems, ({ judged: { reason, message } }) =>
      reason === "" ? message : `${reason}: ${message}`,
    ),
  ];
  const mark = look.isUnicode ? "→" : "->";
  const lines = groups.slice(0, MAX_PROBLEMS).map(([message, who]) => {
    const [first] = who;
    const more = who.length > 1 ? ` and ${who.length - 1} more` : "";
    const one = first === undefined ? "" : `${first.pod} ${useText(first.use)}`;
    return wrapped(look, `  ${mark} ${plainText(`${one}${more}: ${message}`)}`, "    ");
  });
  const rest = groups.length - MAX_PROBLEMS;
  return rest > 0 ? [...lines, `  ${mark} and ${rest} more matters: see -o wide`] : lines;
}
