// examples/configmap-tour, as its README has it.

import { dirname } from "node:path";
import { it } from "node:test";
import { kubectlBinary } from "../clients/kubectl-binaries.ts";
import { cannotPlay, playExample } from "./play-example.ts";

const kubectl = await kubectlBinary("1.36");
const skip = cannotPlay(kubectl);

it("the ConfigMap tour shows what follows a change, and what a restart does", { skip }, () =>
  playExample("configmap-tour", { path: kubectl.ok ? [dirname(kubectl.path)] : [] }),
);
