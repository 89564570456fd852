// `sidecar --once`, as an init container runs it: until it has ended, with the files live. A start of Node that does nothing, in the same run, tells how fast the machine is.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import type { DriftlessServer } from "../../test/support/driftless-server.ts";
import { nodeStartMs } from "../agent/node-start.ts";
import { median, report } from "../report.ts";
import { Beside, Place } from "./beside.ts";
import { makeConfigMaps } from "./config-maps.ts";
import type { ShippedProgram } from "./shipped-program.ts";

export interface OnceOptions {
  readonly program: ShippedProgram;
  readonly server: DriftlessServer;
  readonly starts: number;
}

/** A third and half of a second on a machine that starts Node in 33 ms. */
const AIMS = { directory: 10, object: 15 };

export async function benchOnce({ program, server, starts }: OnceOptions): Promise<void> {
  await makeConfigMaps(server, ["once"]);
  using place = new Place();
  mkdirSync(place.join("in"));
  writeFileSync(place.join("in", "app.conf"), "first\n");
  const { kubeconfig } = server;
  const ways = [
    { what: "a directory", source: place.join("in"), aim: AIMS.directory },
    { what: "a ConfigMap", source: { configMap: "once" }, aim: AIMS.object },
  ];
  for (const { what, source, aim } of ways) {
    const argv = [
      ...place.compose({ sources: { app: source }, output: place.join("out") }),
      "--once",
    ];
    const run = async (): Promise<number> => {
      rmSync(place.join("out"), { recursive: true, force: true });
      const beganMs = performance.now();
      await using once = new Beside({ program, argv, kubeconfig });
      await once.end();
      return performance.now() - beganMs;
    };
    // What is compiled is at hand in the image, too.
    await run();
    const [ours, plain]: [number[], number[]] = [[], []];
    for (let i = 0; i < starts; i++) {
      plain.push(await nodeStartMs());
      ours.push(await run());
    }
    const [oursMs, plainMs] = [median(ours), median(plain)];
    report({
      ...{ name: `sidecar --once, ${what}, against a plain Node, p50`, unit: "ms" },
      ...{ ours: oursMs, baseline: plainMs },
      aim: { text: `ratio <= ${aim}`, met: oursMs <= aim * plainMs },
    });
  }
}
