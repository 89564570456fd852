// examples/haproxy: as its README has it, and under load. The HAProxy is Debian's.

import { equal } from "node:assert/strict";
import { it } from "node:test";
import { LONG } from "../support/campaign.ts";
import { haproxyProgram } from "./debian-programs.ts";
import { LocalExample } from "./local-example.ts";
import { curl, freePort, whyNot } from "./play-example.ts";
import { reloadUnderLoad } from "./reload-under-load.ts";

const RELOADS = LONG ? 100 : 10;
const haproxy = await haproxyProgram();
const skip = whyNot(haproxy, await curl());

function exampleOn(port: string): LocalExample {
  const place = { name: "haproxy", work: "/tmp/proxy", replace: { "8084": port } };
  return new LocalExample({ ...place, programs: [haproxy] });
}

it("HAProxy beside a sidecar reloads what haproxy -c has agreed to", { skip }, async () => {
  await using example = exampleOn(await freePort());
  await example.play();
});

it(`HAProxy serves through ${RELOADS} reloads without a failed request`, { skip }, async (test) => {
  const port = await freePort();
  await using example = exampleOn(port);
  const crossed = await reloadUnderLoad(test, {
    ...{ example, port, reloads: RELOADS, pidFile: "run/haproxy.pid", file: "site.cfg" },
    config: (text) => `frontend site
  bind 127.0.0.1:${port}
  http-request return status 200 content-type text/plain string "${text}"
`,
    bad: "frontend site\n  bind nonsense\n",
  });
  equal(crossed, 0, "a connection that is kept is closed with an answer only");
});
