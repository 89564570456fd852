import { equal, match } from "node:assert/strict";
import { describe, it } from "node:test";
import { PartError } from "../base/run-group.ts";
import { startProblem } from "./start-problem.ts";

const flags = { dataDir: "/data", listen: "127.0.0.1:8443" };

function told(code: string, syscall = ""): string {
  const cause = Object.assign(new Error(code), { code, syscall });
  const { message } = startProblem(new PartError("listener", "failed", { cause }), flags) as Error;
  return message;
}

describe("startProblem", () => {
  it("says what to do about a port, a directory and a disk", () => {
    match(
      told("EADDRINUSE"),
      /^Cannot listen on 127\.0\.0\.1:8443: .* --listen 127\.0\.0\.1:9443$/,
    );
    match(told("EADDRNOTAVAIL"), /does not have that address/);
    match(told("EACCES", "listen"), /ports below 1024/);
    match(told("EACCES", "open"), /^Cannot write to the data directory \/data: .*--data-dir/);
    match(told("EROFS"), /--data-dir/);
    match(told("ENOSPC"), /the disk is full/);
  });

  it("adds nothing to what it does not know", () => {
    const err = new Error("else");
    equal(startProblem(err, flags), err);
  });

  it("proposes a port that there is", () => {
    const cause = Object.assign(new Error("taken"), { code: "EADDRINUSE" });
    const { message } = startProblem(cause, { ...flags, listen: "[::1]:65000" }) as Error;
    match(message, /--listen \[::1\]:64000$/);
  });
});
