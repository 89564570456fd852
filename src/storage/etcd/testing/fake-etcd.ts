// A gRPC server that plays etcd by a script, for what a real one does not do on demand: being too old,
// a learner, dropping a call, repeating events.

import {
  type handleBidiStreamingCall,
  type handleUnaryCall,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServiceError,
  type status,
} from "@grpc/grpc-js";
import type { Revision } from "../../store.ts";
import { ProtoReader, ProtoWriter } from "../protobuf.ts";

/** An answer, or an error; a promise of neither is a call that is never answered. */
export type Answer = ProtoWriter | { readonly code: status; readonly details: string };

export type FakeWatch = ServerDuplexStream<Buffer, ProtoWriter>;

export interface FakeEtcdScript {
  readonly version?: string;
  readonly clusterId?: bigint;
  /** By method, such as "Range". The token that came with the call is given too. */
  readonly answers?: Readonly<
    Record<string, (request: Buffer, token: string | undefined) => Answer | Promise<Answer>>
  >;
  /** Called with each watch stream and the revision from which it is to start. */
  readonly onWatch?: (watch: FakeWatch, start: Revision) => void;
}

export interface FakeEtcd extends AsyncDisposable {
  readonly url: string;
  /** The methods that were called, in order. */
  readonly calls: readonly string[];
  /** Ends all connections. */
  drop(): void;
}

export async function fakeEtcd({
  version = "3.5.16",
  clusterId = 7n,
  answers = {},
  onWatch,
}: FakeEtcdScript = {}): Promise<FakeEtcd> {
  const server = new Server();
  const calls: string[] = [];
  const all: NonNullable<FakeEtcdScript["answers"]> = {
    Status: () =>
      new ProtoWriter().message(1, new ProtoWriter().varint(1, clusterId)).text(2, version),
    Range: () => header(1n),
    ...answers,
  };
  for (const [method, answer] of Object.entries(all)) {
    const handle: handleUnaryCall<Buffer, ProtoWriter> = (call, callback) => {
      calls.push(method);
      const token = call.metadata.get("token")[0]?.toString();
      const reply = (given: Answer): void =>
        given instanceof ProtoWriter ? callback(null, given) : callback(given as ServiceError);
      void Promise.resolve(answer(call.request, token)).then(reply);
    };
    server.register(`/etcdserverpb.${services[method]}/${method}`, handle, finish, same, "unary");
  }
  const handleWatch: handleBidiStreamingCall<Buffer, ProtoWriter> = (watch) => {
    calls.push("Watch");
    watch.on("error", () => undefined);
    watch.on("end", () => watch.end());
    watch.once("data", (request: Buffer) => onWatch?.(watch, startOf(request)));
  };
  server.register("/etcdserverpb.Watch/Watch", handleWatch, finish, same, "bidi");
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (err, bound) =>
      err === null ? resolve(bound) : reject(err),
    );
  });
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    drop: () => server.forceShutdown(),
    [Symbol.asyncDispose]: async () => server.forceShutdown(),
  };
}

const services: Readonly<Record<string, string>> = {
  Range: "KV",
  Put: "KV",
  Txn: "KV",
  Compact: "KV",
  Authenticate: "Auth",
  Status: "Maintenance",
};

/** An answer with nothing but the store's revision. */
export function header(revision: Revision): ProtoWriter {
  return new ProtoWriter().message(1, new ProtoWriter().varint(3, revision));
}

export interface FakeEvent {
  readonly type?: "put" | "delete";
  readonly key: string;
  readonly created?: Revision;
  readonly revision: Revision;
  /** The revision of the previous value. */
  readonly previous?: Revision;
}

export function watchAnswer(revision: Revision, events: readonly FakeEvent[]): ProtoWriter {
  const answer = header(revision);
  for (const { type, key, created, revision: at, previous } of events) {
    const event = new ProtoWriter().varint(1, type === "delete" ? 1 : 0);
    event.message(2, keyValue(key, created ?? at, at));
    if (previous !== undefined) event.message(3, keyValue(key, created ?? previous, previous));
    answer.message(11, event);
  }
  return answer;
}

export function watchCreated(revision: Revision): ProtoWriter {
  return header(revision).varint(3, 1);
}

function keyValue(key: string, created: Revision, revision: Revision): ProtoWriter {
  return new ProtoWriter().text(1, key).varint(2, created).varint(3, revision);
}

function startOf(request: Buffer): Revision {
  const union = new ProtoReader(request);
  if (union.next() !== 1) return 0n;
  const create = union.message();
  for (let field = create.next(); field !== 0; field = create.next()) {
    if (field === 3) return create.bigint();
    create.skip();
  }
  return 0n;
}

function finish(answer: ProtoWriter): Buffer {
  return answer.finish();
}

function same(request: Buffer): Buffer {
  return request;
}
