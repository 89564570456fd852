// examples/nginx, as its README has it, with the nginx of Debian.

import { it } from "node:test";
import { nginxProgram } from "./debian-programs.ts";
import { cannotPlay, curl, freePort, playExample } from "./play-example.ts";

const nginx = await nginxProgram();
const skip = cannotPlay(nginx, await curl());

it("nginx reloads a good configuration, and never loads a bad one", { skip }, async () =>
  playExample("nginx", {
    replace: { "8082": await freePort(), "[nginx,": `[${nginx.ok ? nginx.path : ""},` },
  }),
);
