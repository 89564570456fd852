import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { systemClock } from "../../base/clock.ts";
import { systemRandom } from "../../base/random.ts";
import { CaptureLogger } from "../../base/testing/capture-logger.ts";
import { CompactedError, type Revision, StoreUnavailableError } from "../store.ts";
import { EtcdClient } from "./etcd-client.ts";
import { Keyspace } from "./keyspace.ts";
import {
  type FakeEtcdScript,
  fakeEtcd,
  header,
  watchAnswer,
  watchCreated,
} from "./testing/fake-etcd.ts";
import { TouchPace } from "./touch-pace.ts";
import { WatchFeed } from "./watch-feed.ts";

const keyspace = new Keyspace("/t");
const [a, b] = [keyspace.toEtcd("/a"), keyspace.toEtcd("/b")];

interface Run {
  readonly after: Revision;
  readonly onWatch: NonNullable<FakeEtcdScript["onWatch"]>;
  /** The feed ends when it has come so far. */
  readonly until: Revision;
  readonly version?: string;
  readonly isPastThere?: boolean;
}

/** What a feed delivers, and the starts of its streams. */
async function follow({ after, onWatch, until, version, isPastThere = true }: Run): Promise<{
  readonly delivered: string[];
  readonly starts: readonly Revision[];
}> {
  const starts: Revision[] = [];
  await using etcd = await fakeEtcd({
    ...(version !== undefined && { version }),
    onWatch(watch, start) {
      starts.push(start);
      onWatch(watch, start);
    },
  });
  const logger = new CaptureLogger();
  const common = { clock: systemClock, random: systemRandom, logger };
  const client = new EtcdClient({ endpoints: [etcd.url], ...common });
  const stop = new AbortController();
  const delivered: string[] = [];
  const feed = new WatchFeed({
    client,
    keyspace,
    ...common,
    pace: new TouchPace(common),
    after,
    provePast: async (start) => {
      if (!isPastThere) throw new CompactedError(start + 1n);
    },
    onEvents(events, revision) {
      for (const { type, key, revision: at } of events) delivered.push(`${type} ${key} ${at}`);
      delivered.push(`reached ${revision}`);
      if (revision >= until) stop.abort();
    },
  });
  try {
    feed.want(until);
    await feed.run(stop.signal);
    return { delivered, starts };
  } finally {
    client.close();
  }
}

describe("WatchFeed", () => {
  it("puts the fragments of one answer together", async () => {
    const { delivered } = await follow({
      after: 1n,
      until: 3n,
      onWatch(watch) {
        watch.write(watchCreated(1n));
        watch.write(watchAnswer(3n, [{ key: a, revision: 2n }]).varint(7, 1));
        watch.write(watchAnswer(3n, [{ key: b, revision: 3n }]));
      },
    });
    assert.deepEqual(delivered, ["put /a 2", "put /b 3", "reached 3"]);
  });

  it("goes on after what it has delivered when a stream ends, in the middle of an answer too", async () => {
    let streams = 0;
    const { delivered, starts } = await follow({
      after: 1n,
      until: 4n,
      onWatch(watch) {
        watch.write(watchCreated(1n));
        if (++streams === 1) {
          watch.write(watchAnswer(2n, [{ key: a, revision: 2n }]));
          watch.write(watchAnswer(4n, [{ key: a, revision: 3n, previous: 2n }]).varint(7, 1));
          watch.end();
        } else {
          watch.write(
            watchAnswer(4n, [
              { key: a, revision: 3n, previous: 2n },
              { key: b, revision: 4n },
            ]),
          );
        }
      },
    });
    assert.deepEqual(starts, [2n, 3n]);
    assert.deepEqual(delivered, ["put /a 2", "reached 2", "put /a 3", "put /b 4", "reached 4"]);
  });

  it("drops events that a member repeats", async () => {
    const { delivered } = await follow({
      after: 5n,
      until: 7n,
      onWatch(watch) {
        watch.write(watchCreated(5n));
        watch.write(watchAnswer(6n, [{ key: a, revision: 5n }]));
        watch.write(
          watchAnswer(6n, [
            { key: a, revision: 5n },
            { key: b, revision: 6n },
          ]),
        );
        watch.write(
          watchAnswer(7n, [
            { key: b, revision: 6n },
            { key: a, revision: 7n, previous: 5n },
          ]),
        );
      },
    });
    assert.deepEqual(delivered, ["put /b 6", "reached 6", "put /a 7", "reached 7"]);
  });

  it("does not take an answer's own revision for progress while events may follow", async () => {
    const { delivered } = await follow({
      after: 1n,
      until: 9n,
      onWatch(watch) {
        watch.write(watchCreated(9n));
        watch.write(watchAnswer(9n, [{ key: a, revision: 2n }]));
        watch.write(watchAnswer(9n, [{ key: b, revision: 9n }]));
      },
    });
    assert.deepEqual(delivered, ["put /a 2", "reached 2", "put /b 9", "reached 9"]);
  });

  it("reaches further by other keys in its range, and by an answer to its question", async () => {
    const { delivered } = await follow({
      after: 1n,
      until: 8n,
      onWatch(watch) {
        watch.on("data", () => watch.write(header(8n)));
        watch.write(watchCreated(1n));
        watch.write(watchAnswer(4n, [{ key: keyspace.progressKey, revision: 4n }]));
      },
    });
    assert.deepEqual(delivered.slice(-1), ["reached 8"]);
    assert.ok(delivered.every((line) => line.startsWith("reached")));
  });

  it("ends with CompactedError when an event's previous value is gone", async () => {
    const onWatch: Run["onWatch"] = (watch) => {
      watch.write(watchCreated(5n));
      watch.write(watchAnswer(6n, [{ key: a, created: 2n, revision: 6n }]));
    };
    await assert.rejects(follow({ after: 5n, until: 6n, onWatch }), CompactedError);
    const onDelete: Run["onWatch"] = (watch) => {
      watch.write(watchCreated(5n));
      watch.write(watchAnswer(6n, [{ type: "delete", key: a, created: 0n, revision: 6n }]));
    };
    await assert.rejects(follow({ after: 5n, until: 6n, onWatch: onDelete }), CompactedError);
  });

  it("ends with CompactedError when the past was not complete, before it delivers any of it", async () => {
    const onWatch: Run["onWatch"] = (watch) => {
      watch.write(watchCreated(9n));
      watch.write(watchAnswer(9n, [{ key: a, revision: 7n }]));
    };
    await assert.rejects(
      follow({ after: 5n, until: 9n, onWatch, isPastThere: false }),
      CompactedError,
    );
  });

  it("ends with CompactedError when etcd cancels it for that, with the revision", async () => {
    const onWatch: Run["onWatch"] = (watch) => {
      watch.write(watchCreated(9n));
      watch.write(header(9n).varint(4, 1).varint(5, 8n));
    };
    await assert.rejects(
      follow({ after: 5n, until: 9n, onWatch }),
      (err) => err instanceof CompactedError && err.compacted === 8n,
    );
  });

  it("goes on when etcd cancels it for a compaction that it has passed", async () => {
    let streams = 0;
    const { delivered } = await follow({
      after: 8n,
      until: 9n,
      onWatch(watch) {
        watch.write(watchCreated(8n));
        if (++streams === 1) watch.write(header(8n).varint(4, 1).varint(5, 8n));
        else watch.write(watchAnswer(9n, [{ key: a, revision: 9n }]));
      },
    });
    assert.deepEqual(delivered, ["put /a 9", "reached 9"]);
  });

  it("ends when the user may not watch", async () => {
    const onWatch: Run["onWatch"] = (watch) => {
      const reason = "rpc error: code = PermissionDenied desc = etcdserver: permission denied";
      watch.write(watchCreated(1n).varint(4, 1).text(6, reason));
    };
    await assert.rejects(follow({ after: 1n, until: 9n, onWatch }), (err) => {
      assert.ok(err instanceof StoreUnavailableError);
      assert.match(err.message, /may not read/);
      return true;
    });
  });
});
