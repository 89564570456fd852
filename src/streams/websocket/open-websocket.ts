// The opening handshake of WebSocket, for a subprotocol that was chosen before.

import type { IncomingMessage } from "node:http";
import { type WebSocket, WebSocketServer } from "ws";
import { partingMs } from "../parting.ts";
import { type Upgrade, UpgradeError } from "../upgrade.ts";

// As the original: some libraries send a whole file as one message.
const maxMessageBytes = 32 * 1_048_576;

/**
 * A connection that is paused, so that no message is lost before somebody listens. Throws an UpgradeError, before
 * anything is written, if the request is not a proper one.
 */
export function openWebSocket(
  { request, socket, head }: Upgrade,
  subprotocol: string,
): Promise<WebSocket> {
  const options = {
    noServer: true,
    clientTracking: false,
    // Its own answers would pile up for a client that asks and does not read.
    autoPong: false,
    maxPayload: maxMessageBytes,
    // A message is bytes, whatever its kind says.
    skipUTF8Validation: true,
    closeTimeout: partingMs,
  };
  const server = new WebSocketServer(options);
  if (subprotocol !== "") {
    server.on("headers", (lines) => lines.push(`Sec-WebSocket-Protocol: ${subprotocol}`));
  }
  return new Promise((resolve, reject) => {
    server.on("wsClientError", (err) =>
      reject(new UpgradeError(400, `unable to upgrade: ${err.message}`)),
    );
    server.handleUpgrade(withoutSubprotocols(request), socket, head, (ws) => {
      answerPings(ws);
      ws.pause();
      resolve(ws);
    });
  });
}

/** The library refuses names with a slash, which the standard does not allow and kubectl sends. */
function withoutSubprotocols(request: IncomingMessage): IncomingMessage {
  const { "sec-websocket-protocol": _, ...headers } = request.headers;
  return Object.create(request, { headers: { value: headers } }) as IncomingMessage;
}

/** Answers the newest ping when the answer before has left. */
function answerPings(ws: WebSocket): void {
  let isAnswering = false;
  let next: Buffer | undefined;
  const answer = (): void => {
    if (isAnswering || next === undefined || ws.readyState !== ws.OPEN) return;
    isAnswering = true;
    const data = next;
    next = undefined;
    ws.pong(data, false, () => {
      isAnswering = false;
      answer();
    });
  };
  ws.on("ping", (data) => {
    next = data;
    answer();
  });
}
