// examples/postgresql, as its README has it, with the PostgreSQL of Debian.

import { it } from "node:test";
import { postgresqlProgram } from "./debian-programs.ts";
import { LocalExample } from "./local-example.ts";
import { whyNot } from "./play-example.ts";

const postgresql = await postgresqlProgram();

it("PostgreSQL beside a sidecar loads settings that postgres -C can read, and no others", {
  skip: whyNot(postgresql),
}, async () => {
  await using example = new LocalExample({
    ...{ name: "postgresql", programs: [postgresql], work: "/tmp/pg", replace: {} },
  });
  await example.play();
});
