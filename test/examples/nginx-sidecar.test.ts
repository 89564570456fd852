// examples/nginx-sidecar: as its README has it, and under load. The nginx is Debian's.

import { it } from "node:test";
import { LONG } from "../support/campaign.ts";
import { nginxProgram } from "./debian-programs.ts";
import { LocalExample } from "./local-example.ts";
import { curl, freePort, whyNot } from "./play-example.ts";
import { reloadUnderLoad } from "./reload-under-load.ts";

const RELOADS = LONG ? 100 : 20;
const nginx = await nginxProgram();
const skip = whyNot(nginx, await curl());

function exampleOn(port: string): LocalExample {
  const place = { name: "nginx-sidecar", work: "/tmp/web", replace: { "8083": port } };
  return new LocalExample({ ...place, programs: [nginx] });
}

it("nginx beside a sidecar reloads what nginx -t has agreed to", { skip }, async () => {
  await using example = exampleOn(await freePort());
  await example.play();
});

it(`nginx serves through ${RELOADS} reloads without a failed request`, { skip }, async (test) => {
  const port = await freePort();
  await using example = exampleOn(port);
  await reloadUnderLoad(test, {
    ...{ example, port, reloads: RELOADS, pidFile: "run/nginx.pid", file: "site.conf" },
    config: (text) => `server { listen 127.0.0.1:${port}; location / { return 200 "${text}"; } }\n`,
    bad: "server { listen nonsense; }\n",
  });
});
