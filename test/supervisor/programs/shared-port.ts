// A server that shares its port with the one that takes over, and goes gracefully: no new connections, and whoever is connected already is answered
// once more and asked to connect anew.

import { writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { Server } from "node:net";

const { A = "", PORT = "", STATE = "" } = process.env;
let isEnding = false;
if (A === "bad") process.exit(3);

const server = createHttpServer((_, response) => {
  if (isEnding) response.setHeader("connection", "close");
  // Long enough to be at it when the end comes.
  setTimeout(() => response.end(A), 10);
});
server.keepAliveTimeout = 60_000;
server.listen({ port: Number(PORT), host: "127.0.0.1", reusePort: true }, () => {
  writeFileSync(`${STATE}/${process.pid}`, "");
});
process.on("SIGTERM", () => {
  isEnding = true;
  // Not http's own, which hangs up on everybody who is about to ask.
  Server.prototype.close.call(server, () => process.exit(0));
});
