// exec and attach, from the request to the streams of the command, for every client: SPDY/3.1 or WebSocket, in all of
// their versions.

import type { Clock } from "../base/clock.ts";
import { CommandSession } from "./command-session.ts";
import type { CommandRequest, CommandStreams } from "./command-streams.ts";
import { spdyCommand } from "./spdy/spdy-command.ts";
import { type Upgrade, upgradeKind } from "./upgrade.ts";
import { webSocketCommand } from "./websocket/websocket-command.ts";

export interface AcceptOptions {
  readonly clock: Clock;
}

/**
 * Resolves when the client has opened everything that it asked for. Rejects with an UpgradeError if nothing was written
 * and the caller has to answer, with anything else if the client failed later: its connection is closed then.
 */
export async function acceptCommand(
  upgrade: Upgrade,
  wanted: CommandRequest,
  { clock }: AcceptOptions,
): Promise<CommandStreams> {
  const accept = upgradeKind(upgrade.request) === "spdy" ? spdyCommand : webSocketCommand;
  return new CommandSession(await accept(upgrade, { wanted, clock }), wanted);
}
