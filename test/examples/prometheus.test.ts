// examples/prometheus, as its README has it, with the Prometheus of Debian. Nothing is installed, so its service is not started.

import { it } from "node:test";
import { prometheusProgram } from "./debian-programs.ts";
import { cannotPlay, curl, freePort, playExample } from "./play-example.ts";

const prometheus = await prometheusProgram();
const skip = cannotPlay(prometheus, await curl());

it("Prometheus reloads good rules, and goes on with them when bad ones come", { skip }, async () =>
  playExample("prometheus", {
    replace: {
      "9091": await freePort(),
      "[prometheus]": `[${prometheus.ok ? prometheus.path : ""}]`,
    },
  }),
);
