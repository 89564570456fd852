// deploy/monitoring/dashboard.json, as far as the tests look at it.

import { readFileSync } from "node:fs";

export interface Place {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

export interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: Place;
  readonly datasource?: { readonly type: string; readonly uid: string };
  readonly targets?: readonly { readonly refId: string; readonly expr: string }[];
}

export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly schemaVersion: number;
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string }[] };
}

const file = new URL("../../deploy/monitoring/dashboard.json", import.meta.url);

export const dashboard: Dashboard = JSON.parse(readFileSync(file, "utf8")) as Dashboard;

/** As Prometheus gets them: Grafana has put in what its variables stand for. */
export function queriesOf({ panels }: Dashboard): readonly string[] {
  return panels
    .flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    .map((expr) => expr.replaceAll("$__rate_interval", "1m").replaceAll("$node", ".*"));
}
