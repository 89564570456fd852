// A tiny app as its author would write it. It keeps running on the last good configuration, whatever
// happens to the files.
//
//   node app.ts VOLUME

import { watchConfig } from "@driftless/config";
import { z } from "zod";

const Settings = z.object({
  greeting: z.string().min(1),
  workers: z.number().int().positive(),
});

const config = await watchConfig(process.argv[2] ?? ".", {
  parse: (snapshot): unknown => JSON.parse(snapshot.text("settings.json")),
  schema: Settings,
  onError(error) {
    const { greeting, workers } = config.current;
    const still = `"${greeting}", ${workers} workers`;
    say("refused", { version: error.version, why: error.message, still });
  },
});

for await (const { kind, value, version, added, changed, removed } of config) {
  say(kind, { version, value, keys: { added, changed, removed } });
}

/** One line for the demo to show, stamped with the clock that the demo compares with. */
function say(what: string, details: object): void {
  const atNs = String(process.hrtime.bigint());
  process.stdout.write(`${JSON.stringify({ what, atNs, ...details })}\n`);
}
