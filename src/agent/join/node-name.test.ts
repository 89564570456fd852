import { equal, throws } from "node:assert/strict";
import { describe, it } from "node:test";
import { nodeNameOf } from "./node-name.ts";

describe("nodeNameOf", () => {
  it("lower-cases the host name", () => {
    equal(nodeNameOf("Rack-7.Example.COM\n"), "rack-7.example.com");
  });

  it("says what is wrong with a name that no node can have", () => {
    throws(
      () => nodeNameOf("my_host"),
      /Cannot call this node "my_host": .*RFC 1123.*another name/,
    );
    throws(() => nodeNameOf(""), /Cannot call this node "": there is none/);
  });
});
