import assert from "node:assert/strict";
import { Duplex } from "node:stream";
import { describe, it } from "node:test";
import { FakeClock } from "../base/testing/fake-clock.ts";
import { forwardConnection } from "./forward-connection.ts";
import { Substream } from "./substream.ts";

function newStream(): Substream {
  return new Substream({
    send: (_bytes, done) => done(),
    end: (done) => done(),
    consumed: () => undefined,
    closed: () => undefined,
  });
}

/** A port that says nothing and takes everything. */
function newTarget(): Duplex {
  return new Duplex({ read: () => undefined, write: (_bytes, _encoding, done) => done() });
}

describe("forwardConnection", () => {
  it("closes a connection to the port that was made when the client had left already", async () => {
    const [stream, target] = [newStream(), newTarget()];
    stream.destroy(new Error("The client closed the connection"));
    await assert.rejects(forwardConnection({ stream, target, clock: new FakeClock() }));
    assert.ok(target.destroyed);
  });

  it("closes a connection to the port that was made when the client had reset its stream already", async () => {
    const [stream, target] = [newStream(), newTarget()];
    stream.receiveReset();
    await forwardConnection({ stream, target, clock: new FakeClock() });
    assert.ok(target.destroyed);
  });

  it("rejects when the connection to the port breaks, and gives up the client's stream", async () => {
    const [stream, target] = [newStream(), newTarget()];
    const forwarding = forwardConnection({ stream, target, clock: new FakeClock() });
    target.destroy(new Error("read ECONNRESET"));
    await assert.rejects(forwarding, /ECONNRESET/);
    assert.ok(stream.destroyed);
  });
});
