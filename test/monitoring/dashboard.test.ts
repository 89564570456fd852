import { deepEqual, equal, ok } from "node:assert/strict";
import { describe, it } from "node:test";
import { dashboard, type Place } from "./dashboard.ts";

const COLUMNS = 24;

describe("deploy/monitoring/dashboard.json", () => {
  it("is a dashboard of a version that Grafana reads, with panels that have names of their own", () => {
    ok(dashboard.schemaVersion >= 36, "before, Grafana had other panels");
    ok(dashboard.uid !== "" && dashboard.uid.length <= 40);
    const titles = dashboard.panels.map(({ title }) => title);
    equal(new Set(titles).size, titles.length);
    const ids = dashboard.panels.map(({ id }) => id);
    equal(new Set(ids).size, ids.length);
  });

  it("has panels side by side, none over another", () => {
    const { panels } = dashboard;
    for (const { title, gridPos } of panels) {
      const { x, y, w, h } = gridPos;
      ok(x >= 0 && y >= 0 && w > 0 && h > 0 && x + w <= COLUMNS, `${title} is off the grid`);
    }
    for (const [index, one] of panels.entries()) {
      for (const other of panels.slice(index + 1)) {
        ok(!overlaps(one.gridPos, other.gridPos), `${one.title} and ${other.title} overlap`);
      }
    }
  });

  it("asks the data source that was chosen in each panel, by queries that have names", () => {
    for (const { type, title, datasource, targets = [] } of dashboard.panels) {
      if (type === "row") continue;
      deepEqual(datasource, { type: "prometheus", uid: `\${datasource}` }, title);
      ok(targets.length > 0, `${title} asks for nothing`);
      equal(new Set(targets.map(({ refId }) => refId)).size, targets.length, title);
    }
  });

  it("uses only variables that it declares", () => {
    const declared = dashboard.templating.list.map(({ name }) => name);
    const used = JSON.stringify(dashboard.panels).matchAll(/\$\{?([a-zA-Z]\w*)/g);
    const unknown = Array.from(used, ([, name = ""]) => name).filter(
      (name) => !declared.includes(name),
    );
    deepEqual(unknown, []);
  });
});

function overlaps(a: Place, b: Place): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}
