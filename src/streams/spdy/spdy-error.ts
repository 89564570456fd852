// The client broke the protocol: nothing that follows on the connection can be understood.

export class SpdyError extends Error {
  override readonly name = "SpdyError";
}
