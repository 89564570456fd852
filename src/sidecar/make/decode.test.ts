import { equal, throws } from "node:assert/strict";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { concatenated } from "./concat.ts";
import { decoded } from "./decode.ts";
import { substituted } from "./envsubst.ts";
import type { Input } from "./make-error.ts";

function input(data: string | Uint8Array): Input {
  return { address: "app/x", name: "x", data: Buffer.from(data), isSecret: false };
}

function textOf({ data }: { readonly data: Uint8Array }): string {
  return Buffer.from(data).toString();
}

describe("decoded", () => {
  it("undoes base64 and then gzip, with line ends in the base64", () => {
    const packed = gzipSync("hello").toString("base64").replace(/.{10}/g, "$&\n");
    equal(textOf(decoded(input(packed), ["base64", "gzip"])), "hello");
  });

  for (const bad of ["a", "ab=", "ab!d", "ab==cd", "===="]) {
    it(`refuses "${bad}" as base64`, () => {
      throws(() => decoded(input(bad), ["base64"]), /app\/x is not base64/);
    });
  }

  it("refuses gzip that is cut off", () => {
    const packed = gzipSync("hello hello hello");
    throws(() => decoded(input(packed.subarray(0, -4)), ["gzip"]), /not whole gzip/);
  });

  it("refuses a zip bomb before it is unpacked", () => {
    const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024));
    throws(() => decoded(input(bomb), ["gzip"], 1024 * 1024), /larger than 1048576 bytes/);
  });
});

describe("substituted", () => {
  const variables = { A: "1", B_2: "$(A)" };

  it("replaces $(VAR) once and leaves everything else", () => {
    const { data } = substituted(input("$(A) $(B_2) $A $( A) $$(A)"), {
      variables,
      keepsUnset: false,
    });
    equal(textOf({ data }), "1 $(A) $A $( A) $1");
  });

  it("names all variables that are missing, and knows no inherited ones", () => {
    const refused = { variables, keepsUnset: false };
    throws(() => substituted(input("$(X) $(toString) $(X)"), refused), /\$\(X\), \$\(toString\)/);
  });

  it("keeps what is not set where that is asked for", () => {
    const { data, unset } = substituted(input("$(X)"), { variables, keepsUnset: true });
    equal(`${textOf({ data })} ${unset.join()}`, "$(X) X");
  });

  it("unpacks gzip first", () => {
    const { data } = substituted(input(gzipSync("$(A)")), { variables, keepsUnset: false });
    equal(textOf({ data }), "1");
  });
});

describe("concatenated", () => {
  it("puts the separator between two, and no second line end where there is one", () => {
    equal(textOf({ data: concatenated([input("a\n"), input("b"), input("c")], "\n") }), "a\nb\nc");
    equal(textOf({ data: concatenated([input("a"), input("b\n")], "\n---\n") }), "a\n---\nb\n");
  });

  it("takes bytes as they are without a separator", () => {
    equal(concatenated([input(Buffer.from([0xff])), input(Buffer.from([0]))], "").length, 2);
  });
});
