import { equal, match } from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { describe, it } from "node:test";
import { connect, type TLSSocket } from "node:tls";
import { Listener } from "../../src/apiserver/listener.ts";
import { CertificateRenewer } from "../../src/apiserver/pki/certificate-renewer.ts";
import { loadCredentials } from "../../src/apiserver/pki/credentials.ts";
import { createMetrics } from "../../src/base/metrics.ts";
import { CaptureLogger } from "../../src/base/testing/capture-logger.ts";
import { FakeClock } from "../../src/base/testing/fake-clock.ts";
import { tempDir } from "../../src/base/testing/temp-dir.ts";

const DAY_MS = 24 * 3600_000;

describe("a server that runs for years", () => {
  it("shows a new certificate to new connections, and keeps those that are open", async (t) => {
    using temporary = tempDir();
    const directory = temporary.path;
    const [clock, logger, hosts] = [new FakeClock(), new CaptureLogger(), ["127.0.0.1"]];
    const nowMs = clock.now() - 335 * DAY_MS;
    const credentials = await loadCredentials({ directory, hosts, nowMs });
    const listener = new Listener({
      host: "127.0.0.1",
      port: 0,
      credentials,
      clock,
      logger,
      handle: async (_, response) => void response.end("ok"),
      endStreams: () => undefined,
    });
    const renewed = Promise.withResolvers<void>();
    const renewer = new CertificateRenewer({
      directory,
      hosts,
      credentials,
      clock,
      logger,
      metrics: createMetrics(),
      onRenewed: (next) => {
        listener.renew(next);
        renewed.resolve();
      },
    });
    const stop = new AbortController();
    const ended = [listener.run(stop.signal), renewer.run(stop.signal)];
    t.after(async () => {
      stop.abort();
      await clock.step(10_000);
      await Promise.all(ended);
    });
    const { port } = await listener.ready();
    const opened = async (): Promise<TLSSocket> => {
      const ca = credentials.authority.certificate;
      // Its dates are those of the clock here, which stands in another year.
      const socket = connect({ host: "127.0.0.1", port, ca, rejectUnauthorized: false });
      await once(socket, "secureConnect");
      t.after(() => socket.destroy());
      return socket;
    };
    const shown = (socket: TLSSocket): string =>
      socket.getPeerX509Certificate()?.serialNumber ?? "";
    const answered = async (socket: TLSSocket): Promise<string> => {
      socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
      const [data] = (await once(socket, "data")) as [Buffer];
      return data.toString();
    };
    const before = await opened();
    const first = new X509Certificate(credentials.server.certificate).serialNumber;
    equal(shown(before), first);
    match(await answered(before), /^HTTP\/1\.1 200/);

    await clock.step(3600_000);
    await renewed.promise;

    match(await answered(before), /^HTTP\/1\.1 200/);
    const fresh = await opened();
    equal(shown(fresh) === first, false);
    match(await answered(fresh), /^HTTP\/1\.1 200/);
  });
});
