// examples/nginx, as its README has it, with the nginx of Debian.

import { it } from "node:test";
import { nginxProgram } from "./debian-programs.ts";
import { cannotPlay, curl, freePort, playExample, playExamples } from "./play-example.ts";

const nginx = await nginxProgram();
const skip = cannotPlay(nginx, await curl());
const program = { "[nginx,": `[${nginx.ok ? nginx.path : ""},` };

it("nginx reloads a good configuration, and never loads a bad one", { skip }, async () =>
  playExample("nginx", { replace: { "8082": await freePort(), ...program } }),
);

it("nginx gets a change that was there before its reloader was", { skip }, async () => {
  const reloader = "[CHECKOUT/node_modules/node/bin/node,";
  const late = `until grep -q moin /etc/web/site.conf; do sleep 0.1; done; exec "$0" "$@"`;
  const lateReloader = `[sh, -c, '${late}', ${reloader.slice(1)}`;
  const replace = { "8082": await freePort(), [reloader]: lateReloader, ...program };
  await playExamples(["nginx"], { replace }, (readme) =>
    // Up to the change, and without a look at the reloader before it.
    (readme.split("Now a bad edit")[0] ?? "").replace(
      /```sh\n[^`]* logs [^`]*```\n\n```\nwatching\n```/,
      "",
    ),
  );
});
