// Refusals of what is no request, or one that cannot be answered in the usual way: written by hand onto the socket.

import type { Duplex } from "node:stream";

const lines: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "413 Payload Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
};

/** Of HTTP/1.1: tells what is wrong, unless an answer is already under way, and ends the connection. */
export function refuse(socket: Duplex, { code = "" }: NodeJS.ErrnoException): void {
  // Set by Node while a request is handled. Words of ours would damage an answer that has begun.
  const { _httpMessage: answering } = socket as {
    readonly _httpMessage?: { readonly headersSent: boolean } | null;
  };
  if (code !== "ECONNRESET" && answering?.headersSent !== true) {
    writeRefusal(socket, lines[code] ?? "400 Bad Request");
  }
  hangUp(socket);
}

/** Of HTTP/1.1: there is nothing to tunnel to. */
export function refuseTunnel(socket: Duplex): void {
  writeRefusal(socket, "405 Method Not Allowed");
  hangUp(socket);
}

function writeRefusal(socket: Duplex, line: string): void {
  if (!socket.writable) return;
  socket.write(`HTTP/1.1 ${line}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}

/** Once what was written is on its way. */
function hangUp(socket: Duplex): void {
  if (socket.writableFinished) socket.destroy();
  else socket.end(() => socket.destroy());
}
