import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { format, inspect } from "node:util";
import { createLogger } from "./logger.ts";
import { Secret } from "./secret.ts";

const text = "hunter2-hunter2";
const secret = new Secret(new TextEncoder().encode(text));

/** All the ways in which the bytes could show: as text, as base64, and as a list of numbers. */
const leaks = [text, btoa(text).slice(0, 12), "104,117,110", '"0":104', "68756e74"];

function assertHidden(printed: string): void {
  for (const leak of leaks) {
    assert.ok(!printed.includes(leak), `${printed} has ${leak}`);
  }
  assert.ok(printed.includes("[secret]"), printed);
}

describe("Secret", () => {
  it("gives its bytes to who asks for them", () => {
    assert.equal(new TextDecoder().decode(secret.reveal()), text);
  });

  const printers: readonly [string, () => string][] = [
    ["String()", () => String(secret)],
    ["a template string", () => `${secret as unknown as string}`],
    ["JSON.stringify", () => JSON.stringify({ token: secret, list: [secret] })],
    ["util.inspect", () => inspect({ token: secret }, { depth: 9, showHidden: true })],
    ["util.format", () => format("%s %o %j", secret, secret, secret)],
    ["an error message", () => inspect(new Error("failed", { cause: { secret } }))],
    ["string concatenation", () => ["token=", secret].join("")],
  ];
  for (const [name, print] of printers) {
    it(`is not printed by ${name}`, () => {
      assertHidden(print());
    });
  }

  it("is not printed by the logger, at any depth, in a child or in an error", () => {
    const lines: string[] = [];
    const logger = createLogger({
      level: "debug",
      destination: { write: (line) => lines.push(line) },
    });

    logger.info("as a field", { token: secret });
    logger.info("deeper", { data: { password: secret, list: [secret] } });
    logger.child({ token: secret }).info("in a child");
    logger.error("in an error", { err: Object.assign(new Error("failed"), { token: secret }) });

    assert.equal(lines.length, 4);
    lines.forEach(assertHidden);
  });
});
