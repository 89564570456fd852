// examples/secret-rotation, as its README has it: the load that it puts on counts no failure.

import { it } from "node:test";
import { ensureDebianPackages } from "../../tools/debian.ts";
import { cannotPlay, curl, freePort, playExample } from "./play-example.ts";

const openssl = await ensureDebianPackages([{ command: "openssl", package: "openssl" }]);
const skip = cannotPlay(openssl, await curl());

it("a certificate rotates under load without a failed request", { skip }, async () =>
  playExample("secret-rotation", { replace: { "8444": await freePort() } }),
);
