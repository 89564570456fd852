// examples/kustomize, as its README has it.

import { dirname } from "node:path";
import { it } from "node:test";
import { kubectlBinary } from "../clients/kubectl-binaries.ts";
import { cannotPlay, playExample } from "./play-example.ts";

const kubectl = await kubectlBinary("1.36");
const skip = cannotPlay(kubectl);

it(
  "kustomize makes a new ConfigMap and a rollout of each change, and prunes the old one",
  {
    skip,
  },
  () => playExample("kustomize", { path: kubectl.ok ? [dirname(kubectl.path)] : [] }),
);
