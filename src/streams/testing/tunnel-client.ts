// The client's side of bytes inside binary messages of WebSocket, behind a handshake that was done by hand: client
// libraries refuse the subprotocol's name.

import { Duplex } from "node:stream";

export class TunnelClient extends Duplex {
  readonly #socket: Duplex;
  #unparsed = Buffer.alloc(0);

  constructor(socket: Duplex) {
    super();
    this.#socket = socket;
    socket
      .on("data", (chunk: Buffer) => {
        this.#unparsed = Buffer.concat([this.#unparsed, chunk]);
        this.#parse();
      })
      .on("end", () => this.push(null))
      .on("close", () => this.destroy());
  }

  override _read(): void {
    // It takes everything as it comes.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    const head = Buffer.alloc(14);
    head.writeUInt8(0x82, 0);
    // The mask is zero, so that the bytes stay as they are.
    head.writeUInt8(0x80 | 127, 1);
    head.writeBigUInt64BE(BigInt(chunk.length), 2);
    this.#socket.write(Buffer.concat([head, chunk]), () => done());
  }

  override _final(done: () => void): void {
    this.#socket.end();
    done();
  }

  override _destroy(err: Error | null, done: (err: Error | null) => void): void {
    this.#socket.destroy();
    done(err);
  }

  #parse(): void {
    while (this.#unparsed.length >= 2) {
      const short = this.#unparsed.readUInt8(1);
      const extra = short === 127 ? 8 : short === 126 ? 2 : 0;
      if (this.#unparsed.length < 2 + extra) return;
      const length =
        extra === 0
          ? short
          : Number(this.#unparsed.readUIntBE(2 + Math.max(0, extra - 6), Math.min(extra, 6)));
      const end = 2 + extra + length;
      if (this.#unparsed.length < end) return;
      if ((this.#unparsed.readUInt8(0) & 0x0f) === 2)
        this.push(this.#unparsed.subarray(2 + extra, end));
      this.#unparsed = this.#unparsed.subarray(end);
    }
  }
}
