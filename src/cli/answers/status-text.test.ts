import { deepEqual, equal, match } from "node:assert/strict";
import { describe, it } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { statusJson } from "./status-json.ts";
import { isAllInSync, statusReport, summaryText } from "./status-report.ts";
import { statusText } from "./status-text.ts";
import {
  deployment,
  frozenEnv,
  NOW_MS,
  picture,
  pod,
  TWO,
  use,
  view,
} from "./testing/sample-picture.ts";
import { blockedText, lackText, waitBar, waitText } from "./wait-text.ts";

const applied = use("volume", { applied: { hash: TWO }, confirmedBy: "Library" });
const names = ["api-7d9f5c6b7d-q9w8e", "api-7d9f5c6b7d-x2x1z", "api-7d9f5c6b7d-new01"] as const;
const mixed = picture({
  pods: names.map((name) => pod(name)),
  views: [view(names[0], [applied, frozenEnv]), view(names[1], [use("volume"), frozenEnv])],
});
const look = { columns: 80, hasColour: false, isUnicode: true };
const narrow = { look, nowMs: NOW_MS, isWide: false, hasNamespaces: false };
const report = statusReport(mixed, { type: "all" });

const golden = `configmap/app  2222222222  revision 4, changed 5m ago by ann
  CONSUMER            USE              VERSION     SINCE  STATE    REASON
  api-7d9f5…7d-new01  web env          -           -      unknown  -
  api-7d9f5…7d-new01  web /etc/config  -           -      unknown  -
  api-7d9f5…7d-q9w8e  web env          1111111111  64m    frozen   EnvFrozen
  api-7d9f5…7d-q9w8e  web /etc/config  2222222222  4m59s  in sync  applied
  api-7d9f5…7d-x2x1z  web env          1111111111  64m    frozen   EnvFrozen
  api-7d9f5…7d-x2x1z  web /etc/config  2222222222  4m59s  in sync  not confirmed
  → api-7d9f5c6b7d-new01 web env and 1 more: node n1 has not reported on this
    pod: if it does not soon, see whether a Driftless agent runs there
  → api-7d9f5c6b7d-q9w8e web env and 1 more: EnvFrozen: the container was
    started with another content: restart it, or annotate its workload with
    driftless.dev/reload: auto

not confirmed: it is on disk, where the process can read it; the process does
  not say what it runs with
2 of 6 in sync; 2 frozen: env of deployment/api; 2 unknown: env of
  deployment/api, volume of deployment/api
`;

describe("driftless status", () => {
  it("fits into 80 columns, with what is the matter below", () => {
    equal(statusText(report, narrow), golden);
  });

  it("shortens nothing where there is no terminal, and tells all with -o wide", () => {
    const wide = { ...narrow, look: { ...look, columns: undefined }, isWide: true };
    const [, header = "", first = ""] = statusText(report, wide).split("\n");
    deepEqual(header.trim().split(/\s+/).slice(6), ["OWNER", "NODE", "KEYS", "MESSAGE"]);
    match(first, /api-7d9f5c6b7d-new01 .* deployment\/api +n1 +log\.level +node n1 has not/);
  });

  it("colours states on a terminal, and means the same without", () => {
    const coloured = statusText(report, { ...narrow, look: { ...look, hasColour: true } });
    equal(coloured.includes("\x1b[36mfrozen\x1b[0m   EnvFrozen"), true);
    equal(stripVTControlCharacters(coloured), golden);
  });

  it("ends well only if everybody is in sync", () => {
    equal(isAllInSync(report), false);
    const well = picture({ pods: [pod("a")], views: [view("a", [applied, use("env")])] });
    equal(isAllInSync(statusReport(well, { type: "all" })), true);
  });

  it("summarises by state, use and owner", () => {
    const views = ["a", "b"].map((name) => view(name, [applied, frozenEnv]));
    const found = statusReport(picture({ pods: [pod("a"), pod("b")], views }), { type: "all" });
    const text = summaryText(found.objects.flatMap(({ consumers }) => consumers));
    equal(text, "2 of 4 in sync; 2 frozen: env of deployment/api");
  });

  it("looks at one object, one pod or one owner", () => {
    const pods = (scope: Parameters<typeof statusReport>[1]): number =>
      statusReport(mixed, scope).objects.flatMap(({ consumers }) => consumers).length;
    const object = { kind: "ConfigMap", namespace: "default", name: "app" } as const;
    equal(pods({ type: "object", object }), 6);
    equal(pods({ type: "object", object: { ...object, name: "none" } }), 0);
    equal(pods({ type: "owner", owner: "deployment/api" }), 6);
    equal(pods({ type: "owner", owner: `pod/${names[0]}` }), 2);
    equal(pods({ type: "owner", owner: "deployment/other" }), 0);
  });

  it("says which objects are not there or may not be read", () => {
    const text = (version: string | undefined): string =>
      statusText(
        statusReport(picture({ ...mixed, versionNow: () => version }), { type: "all" }),
        narrow,
      );
    match(text("gone"), /^configmap\/app {2}does not exist\n/);
    match(text(undefined), /^configmap\/app {2}may not be read\n/);
    match(text(undefined), /\nNote: You may not read ConfigMaps: what nodes say/);
  });

  it("shows no escape sequences of others", () => {
    const odd = picture({
      pods: [pod("a")],
      views: [view("a", [use("volume", { drift: { reason: "WriteFailed", message: "\x1b[2J" } })])],
    });
    const text = statusText(statusReport(odd, { type: "all" }), narrow);
    match(text, /WriteFailed: \^\[\[2J/);
  });

  it("has a shape for scripts", () => {
    const { objects, ...rest } = statusJson(report);
    deepEqual(rest, {
      apiVersion: "driftless.dev/v1",
      kind: "ConfigStatus",
      inSync: false,
      summary: {
        text: "2 of 6 in sync; 2 frozen: env of deployment/api; 2 unknown: env of deployment/api, volume of deployment/api",
        total: 6,
        inSync: 2,
        behind: 0,
        frozen: 2,
        rejected: 0,
        unknown: 2,
      },
      rollouts: [],
      notes: [],
    });
    const [object] = objects as unknown as readonly { readonly consumers: readonly object[] }[];
    deepEqual(object?.consumers[3], {
      pod: names[0],
      owner: "deployment/api",
      node: "n1",
      container: "web",
      how: "volume",
      mountPath: "/etc/config",
      state: "InSync",
      reason: "",
      message: "",
      since: "2026-11-16T12:00:00.012000Z",
      wanted: TWO,
      version: TWO,
      applied: TWO,
      confirmed: true,
      confirmedBy: "Library",
      terminating: false,
    });
  });
});

describe("driftless status --wait", () => {
  it("draws a bar, and says whom it waits for", () => {
    const wide = { ...look, columns: undefined };
    const said =
      "2/6 have 2222222222, waiting for api-7d9f5c6b7d-new01 web env (unknown) and 3 more";
    equal(waitText(report, wide), said);
    equal(waitBar(report, wide), `[██████░░░░░░░░░░░░░░] ${said}`);
    equal(Array.from(waitBar(report, look)).length, 79);
  });

  it("waits for a rollout when all pods that there are have it", () => {
    const workloads = [deployment({ status: {} })];
    const found = statusReport(picture({ workloads }), { type: "all" });
    match(
      waitText(found, { ...look, columns: undefined }),
      /waiting for deployment\/api: its rollout has not begun yet/,
    );
  });

  it("says what is in the way only of what time alone will not clear", () => {
    const texts = report.objects.flatMap(({ consumers }) => consumers).map(blockedText);
    equal(texts[0], undefined);
    match(texts[2] ?? "", /^In the way: env of deployment\/api: EnvFrozen: the container was/);
  });

  it("gives the reason of everyone who lacks it when the time is over", () => {
    const lines = lackText(report, 5000).split("\n");
    equal(lines[0], "error: not everyone has 2222222222 after 5 s:");
    match(lines[3] ?? "", /^ {2}api-7d9f5c6b7d-q9w8e web env is frozen: EnvFrozen: the container/);
    equal(lines.length, 5);
  });
});
