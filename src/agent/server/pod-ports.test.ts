import { equal } from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { tempDir } from "../../base/testing/temp-dir.ts";
import { isListening } from "./pod-ports.ts";

/** A picture of /proc. */
class Proc implements Disposable {
  readonly #directory = tempDir();

  constructor(sockets: readonly string[]) {
    mkdirSync(join(this.path, "net"));
    writeFileSync(join(this.path, "net", "tcp"), ["  sl  local_address", ...sockets].join("\n"));
    mkdirSync(join(this.path, "self", "ns"), { recursive: true });
    symlinkSync("pid:[1]", join(this.path, "self", "ns", "pid"));
  }

  get path(): string {
    return this.#directory.path;
  }

  process(
    pid: number,
    of: { readonly space: string; readonly parent: number; readonly socket?: string },
  ): void {
    const directory = join(this.path, String(pid));
    mkdirSync(join(directory, "ns"), { recursive: true });
    mkdirSync(join(directory, "fd"));
    symlinkSync(of.space, join(directory, "ns", "pid"));
    writeFileSync(join(directory, "stat"), `${pid} (a) b) S ${of.parent} 1 1`);
    if (of.socket !== undefined) symlinkSync(`socket:[${of.socket}]`, join(directory, "fd", "3"));
  }

  [Symbol.dispose](): void {
    this.#directory[Symbol.dispose]();
  }
}

const line = (port: number, state: string, inode: string): string =>
  `   0: 0100007F:${port.toString(16).toUpperCase()} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000     0        0 ${inode} 1`;

describe("isListening", () => {
  it("is true for a port of a process of the pod, whoever started it, and for no other", () => {
    using proc = new Proc([line(8080, "0A", "77"), line(8443, "0A", "88"), line(9090, "01", "99")]);
    proc.process(50, { space: "pid:[7]", parent: 1 });
    proc.process(60, { space: "pid:[7]", parent: 2, socket: "77" });
    proc.process(70, { space: "pid:[1]", parent: 1, socket: "88" });
    proc.process(61, { space: "pid:[7]", parent: 50, socket: "99" });
    const of = { pids: [50], proc: proc.path };
    equal(isListening(8080, of), true);
    equal(isListening(8443, of), false);
    equal(isListening(9090, of), false);
    equal(isListening(1234, of), false);
  });

  it("counts the descendants of a container that sees the machine's processes, and nobody else", () => {
    using proc = new Proc([line(8080, "0A", "77"), line(8443, "0A", "88")]);
    proc.process(50, { space: "pid:[1]", parent: 1 });
    proc.process(51, { space: "pid:[1]", parent: 50, socket: "77" });
    proc.process(70, { space: "pid:[1]", parent: 1, socket: "88" });
    const of = { pids: [50], proc: proc.path };
    equal(isListening(8080, of), true);
    equal(isListening(8443, of), false);
  });
});
