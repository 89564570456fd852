// A web server that greets as its configuration says, and never has to be restarted for it.

import { createServer } from "node:http";
import { watchConfig } from "@driftless/config";
import { z } from "zod";

const config = await watchConfig("/etc/node-app/app.json", {
  schema: z.object({
    greeting: z.string().min(1),
    excitement: z.number().int().min(0).max(10),
  }),
  onError: (error) => console.log(`refused: ${error.message}`),
});

const server = createServer((_request, response) => {
  // Always the last good version, and all of one version.
  const { greeting, excitement } = config.current;
  response.end(`${greeting}${"!".repeat(excitement)}\n`);
});
server.listen(Number(process.env.PORT), "127.0.0.1");
process.on("SIGTERM", () => process.exit());

for await (const { kind, value } of config) {
  console.log(kind, value);
}
