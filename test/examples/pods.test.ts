// The examples with a sidecar or a supervisor once more, as pods: what their READMEs have below "In a pod", with one Driftless for all of them.

import { delimiter, dirname } from "node:path";
import { it } from "node:test";
import { kubectlBinary } from "../clients/kubectl-binaries.ts";
import { LONG } from "../support/campaign.ts";
import {
  environmentFor,
  nginxProgram,
  prometheusProgram,
  redisProgram,
} from "./debian-programs.ts";
import { podPart } from "./local-example.ts";
import { cannotPlay, curl, freePort, playExamples } from "./play-example.ts";

const kubectl = await kubectlBinary("1.36");
const programs = [await nginxProgram(), await prometheusProgram(), await redisProgram()];
const skip = cannotPlay(kubectl, ...programs, await curl());

/** Where they are on a machine that has them installed is where a container looks; these are elsewhere. */
function environment(): string {
  const { path, libraries } = environmentFor(programs);
  const variables = {
    PATH: [...path, "/usr/sbin", "/usr/bin", "/sbin", "/bin"].join(delimiter),
    LD_LIBRARY_PATH: libraries.join(delimiter),
  };
  const list = Object.entries(variables).map(([name, value]) => ({ name, value }));
  return `image: host\n      env: ${JSON.stringify(list)}`;
}

/** The beginning of a container that has an environment already, and needs none of these programs. */
const DROP_IN = "\n      command: [CHECKOUT/driftless, sidecar, --as";

it("sidecars and a supervisor do in pods what they do outside", { skip }, async () => {
  const { path, libraries } = environmentFor(programs);
  const ports = ["8083", "8085", "8086", "9092", "6390"];
  const free = await Promise.all(ports.map(async (port) => [port, await freePort()] as const));
  await playExamples(
    ["nginx-sidecar", "redis", "dashboards", ...(LONG ? ["prometheus-sidecar"] : [])],
    {
      replace: {
        ...Object.fromEntries(free),
        "image: host": environment(),
        [environment() + DROP_IN]: `image: host${DROP_IN}`,
      },
      libraries,
      path: [...path, ...(kubectl.ok ? [dirname(kubectl.path)] : [])],
    },
    podPart,
  );
});
