// An HTTPS server that changes its certificate while it serves.

import { createServer } from "node:https";
import { watchConfig } from "@driftless/config";

const server = createServer({ keepAliveTimeout: 60_000 }, (_request, response) => {
  response.end("open\n");
});

const config = await watchConfig("/etc/tls", {
  // One snapshot: the certificate and the key belong together, always.
  parse: (tls) => ({ cert: tls.text("tls.crt"), key: tls.text("tls.key") }),
  // For new connections; those that are open go on. It throws when certificate and key do not fit.
  apply: ({ value }) => server.setSecureContext(value),
  onError: (error) => console.log(`refused: ${error.message}`),
});
server.listen(Number(process.env.PORT), "127.0.0.1");
process.on("SIGTERM", () => process.exit());

for await (const { kind } of config) {
  console.log(kind === "initial" ? "open" : "new certificate");
}
