// examples/redis, as its README has it, with the Redis of Debian.

import { it } from "node:test";
import { redisProgram } from "./debian-programs.ts";
import { LocalExample } from "./local-example.ts";
import { curl, freePort, whyNot } from "./play-example.ts";

const redis = await redisProgram();
const skip = whyNot(redis, await curl());

it("Redis is restarted with each new configuration, keeps its data, and goes back when it does not start", {
  skip,
}, async () => {
  await using example = new LocalExample({
    ...{ name: "redis", programs: [redis], work: "/tmp/cache" },
    replace: { "6390": await freePort(), "8085": await freePort() },
  });
  await example.play();
});
