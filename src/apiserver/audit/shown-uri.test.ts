import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { shownText, shownUri } from "./shown-uri.ts";

const jwt = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl";

describe("shownUri", () => {
  it("leaves what clients of Kubernetes send as it is", () => {
    for (const uri of [
      "/api/v1/namespaces/a/configmaps?limit=500&continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ",
      "/api/v1/pods?fieldSelector=spec.nodeName%3Da&labelSelector=app%3Dauth-token&watch=1",
      "/livez",
    ]) {
      assert.equal(shownUri(uri), uri);
    }
  });

  it("hides the values of parameters that are called like credentials, in any case and escaped", () => {
    assert.equal(shownUri("/x?token=abc&a=b"), "/x?token=REDACTED&a=b");
    assert.equal(shownUri("/x?Access_Token=abc"), "/x?Access_Token=REDACTED");
    assert.equal(shownUri("/x?%74oken=abc"), "/x?%74oken=REDACTED");
    assert.equal(shownUri("/x?%zz=abc"), "/x?%zz=REDACTED");
    assert.equal(shownUri("/x?password=a=b"), "/x?password=REDACTED");
  });

  it("hides tokens wherever they stand", () => {
    assert.equal(shownUri(`/proxy/${jwt}/x`), "/proxy/REDACTED/x");
    assert.equal(shownUri(`/x?command=curl&command=${jwt}`), "/x?command=curl&command=REDACTED");
    assert.equal(shownUri(`/x?h=a%3D${jwt.replaceAll(".", "%2E")}`), "/x?h=a%3DREDACTED");
    assert.equal(
      shownUri("/x?h=Authorization:%20Bearer%20s3cr3t&a"),
      "/x?h=Authorization:%20Bearer%20REDACTED&a",
    );
    assert.equal(shownUri("http://me:pass@host/x"), "http://host/x");
  });

  it("cuts what is long, and leaves no token at the cut", () => {
    const long = shownUri(`/${"a".repeat(5000)}`);
    assert.ok(long.length < 4200 && long.endsWith("...TRUNCATED"));
    assert.ok(!shownUri(`/${"a".repeat(4050)}/${jwt}`).includes("eyJzdWI"));
  });

  it("takes no time over a URI that begins tokens without end", () => {
    const steps = shownText("eyJ".repeat(100_000), 4096);
    assert.equal(steps.length, 4096 + "...TRUNCATED".length);
  });

  it("never shows the value of a token parameter, whatever is around it", () => {
    const word = fc.stringMatching(/^[a-z0-9%=;+.]{0,12}$/);
    fc.assert(
      fc.property(word, word, (before, after) => {
        const shown = shownUri(`/api?${before}&token=Zq7-Zq7&${after}`);
        assert.ok(!shown.includes("Zq7"), shown);
      }),
    );
  });
});
