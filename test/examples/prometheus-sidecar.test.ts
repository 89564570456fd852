// examples/prometheus-sidecar, as its README has it, with the Prometheus and the promtool of Debian.

import { it } from "node:test";
import { prometheusProgram } from "./debian-programs.ts";
import { LocalExample } from "./local-example.ts";
import { curl, freePort, whyNot } from "./play-example.ts";

const prometheus = await prometheusProgram();
const skip = whyNot(prometheus, await curl());

it("Prometheus beside a sidecar loads what is merged from several sources, and nothing that promtool refuses", {
  skip,
}, async () => {
  await using example = new LocalExample({
    ...{ name: "prometheus-sidecar", programs: [prometheus], work: "/tmp/prom" },
    replace: { "9092": await freePort() },
  });
  await example.play();
});
