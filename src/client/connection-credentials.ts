// Who a connection says that we are. For the HTTP client, and for streams in both directions, which go beside it.

import type { Clock } from "../base/clock.ts";
import { Credentials } from "./credentials.ts";
import type { Connection } from "./kubeconfig.ts";

export function credentialsOf(connection: Connection, clock: Clock): Credentials {
  const { token, exec } = connection;
  const { authority, certificate, key } = { ...connection, ...connection.followed };
  const sources = {
    ...(authority !== undefined && { authority }),
    ...(certificate !== undefined && { certificate }),
    ...(key !== undefined && { key }),
    ...(token !== undefined && { token }),
    ...(exec !== undefined && { exec }),
  };
  return new Credentials({ sources, clock });
}
