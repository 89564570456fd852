// examples/node-app, as its README has it.

import { it } from "node:test";
import { cannotPlay, curl, freePort, playExample } from "./play-example.ts";

it(
  "the Node app follows good edits, and stays with the last one when a bad one comes",
  {
    skip: cannotPlay(await curl()),
  },
  async () => playExample("node-app", { replace: { "8081": await freePort() } }),
);
