import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { JsonObject } from "../../api/json.ts";
import type { ApiObject } from "../../api/object.ts";
import { StatusError } from "../../api/status-error.ts";
import { type ContentCheck, ContentChecks, type ContentFinding } from "./content-checks.ts";
import { type KindName, type RequestOptions, refusalOf, requestFor } from "./testing/requests.ts";

function checkSaying(
  say: (object: ApiObject, old: ApiObject | undefined) => readonly ContentFinding[],
): ContentCheck {
  return { name: "strict", applies: () => true, check: say };
}

const always = checkSaying(() => [{ key: "a", message: "line 1: no" }]);

function refusalWith(check: ContentCheck, kind: KindName, options: RequestOptions): string {
  const plugin = new ContentChecks({ checks: () => [check] });
  return refusalOf(plugin, requestFor(kind, options));
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const map = (fields: JsonObject): JsonObject => ({ metadata: { name: "x" }, ...fields });

describe("ContentChecks", () => {
  it("refuses what a check finds wrong, and names the check and the key", () => {
    const request = requestFor("v1 ConfigMap", { object: map({ data: { a: "1" } }) });
    assert.throws(
      () => new ContentChecks({ checks: () => [always] }).judge(request),
      (err) => {
        assert.ok(err instanceof StatusError);
        assert.equal(
          err.message,
          'ConfigMap "x" is invalid: data[a]: Invalid value: content check "strict": line 1: no',
        );
        assert.deepEqual(err.details?.causes, [
          {
            reason: "FieldValueInvalid",
            field: "data[a]",
            message: 'Invalid value: content check "strict": line 1: no',
          },
        ]);
        return true;
      },
    );
  });

  it("tells all that all checks find", () => {
    const plugin = new ContentChecks({
      checks: () => [always, { ...always, name: "other" }],
    });
    const request = requestFor("v1 ConfigMap", { object: map({ data: { a: "1" } }) });
    assert.match(
      refusalOf(plugin, request),
      /^ConfigMap "x" is invalid: \[.*"strict".*, .*"other".*\]$/,
    );
  });

  for (const [what, object, field] of [
    ["bytes", map({ binaryData: { a: base64("1") } }), "binaryData[a]"],
    ["a key that is not there", map({ data: { b: "1" } }), "data"],
  ] as const) {
    it(`names the field for ${what}`, () => {
      const refusal = refusalWith(always, "v1 ConfigMap", { object });
      assert.equal(
        refusal,
        `ConfigMap "x" is invalid: ${field}: Invalid value: content check "strict": line 1: no`,
      );
    });
  }

  const old = map({ data: { a: "1" } });
  for (const [what, object, isAsked] of [
    ["text that changes", map({ data: { a: "2" } }), true],
    ["bytes that are new", map({ data: { a: "1" }, binaryData: { b: base64("1") } }), true],
    ["labels that change", { ...old, metadata: { name: "x", labels: { l: "1" } } }, false],
  ] as const) {
    it(`${isAsked ? "asks" : "does not ask"} about ${what}`, () => {
      const refusal = refusalWith(always, "v1 ConfigMap", { operation: "UPDATE", object, old });
      assert.equal(refusal !== "", isAsked);
    });
  }

  it("asks about texts that become bytes of a Secret", () => {
    const object = map({ stringData: { a: "1" } });
    assert.notEqual(refusalWith(always, "v1 Secret", { object }), "");
  });

  it("asks only those that care, and nobody about other kinds or deletions", () => {
    const picky = { ...always, applies: () => false };
    assert.equal(refusalWith(picky, "v1 ConfigMap", { object: old }), "");
    assert.equal(refusalWith(always, "v1 Service", { object: map({}) }), "");
    assert.equal(refusalWith(always, "v1 ConfigMap", { operation: "DELETE", old }), "");
  });

  it("shows a check what was there before", () => {
    const monotonic = checkSaying((now, before) =>
      JSON.stringify(now["data"]) < JSON.stringify(before?.["data"])
        ? [{ key: "a", message: "smaller" }]
        : [],
    );
    const change = { operation: "UPDATE", object: map({ data: { a: "0" } }), old } as const;
    assert.match(refusalWith(monotonic, "v1 ConfigMap", change), /smaller$/);
  });

  it("sees checks that come later", () => {
    const checks: ContentCheck[] = [];
    const plugin = new ContentChecks({ checks: () => checks });
    const request = requestFor("v1 ConfigMap", { object: old });
    assert.equal(refusalOf(plugin, request), "");
    checks.push(always);
    assert.notEqual(refusalOf(plugin, request), "");
  });

  it("writes nothing when a check fails, and does not repeat why", () => {
    const broken = checkSaying(() => {
      throw new Error("cannot read hunter22");
    });
    const request = requestFor("v1 Secret", { object: map({ data: { a: base64("hunter22") } }) });
    assert.throws(
      () => new ContentChecks({ checks: () => [broken] }).judge(request),
      (err) => {
        assert.ok(err instanceof StatusError);
        assert.equal(err.message, 'Internal error occurred: content check "strict" failed');
        assert.equal(err.cause, undefined);
        return true;
      },
    );
  });
});

const silent =
  /is invalid: data(\[a\])?: Invalid value: content check "strict": refused; why is not shown/;

describe("ContentChecks never repeats a Secret", () => {
  const value = 'first line\n  pass"word\n';
  const object = map({ data: { a: base64(value) } });
  for (const [what, message] of [
    ["as it is", `cannot parse ${value}`],
    ["as it is stored", `cannot parse ${base64(value)}`],
    ["by a line", 'unexpected pass"word here'],
    ["in quotation marks", `unexpected ${JSON.stringify('pass"word')}`],
  ] as const) {
    it(what, () => {
      const leaking = checkSaying(() => [{ key: "a", message }]);
      assert.match(refusalWith(leaking, "v1 Secret", { object }), silent);
    });
  }

  it("as it was before a change", () => {
    const leaking = checkSaying(() => [{ key: "a", message: "was: first line" }]);
    const now = map({ data: { a: base64("x") } });
    const options = { operation: "UPDATE", object: now, old: object } as const;
    assert.match(refusalWith(leaking, "v1 Secret", options), silent);
  });

  it("as a key that the Secret does not have", () => {
    const leaking = checkSaying(() => [{ key: "first line", message: "no" }]);
    assert.doesNotMatch(refusalWith(leaking, "v1 Secret", { object }), /first line/);
  });

  it("but repeats ConfigMaps, which are no secrets", () => {
    const telling = checkSaying(() => [{ key: "a", message: "no: hunter22" }]);
    const options = { object: map({ data: { a: "hunter22" } }) };
    assert.match(refusalWith(telling, "v1 ConfigMap", options), /no: hunter22$/);
  });

  it("whatever the values and the words around them", () => {
    const text = fc.string({ unit: "grapheme", minLength: 4, maxLength: 40 });
    fc.assert(
      fc.property(text, fc.string(), fc.string(), (secret, before, after) => {
        const message = before + secret + after;
        const leaking = checkSaying(() => [{ key: "a", message }]);
        const options = { object: map({ data: { a: base64(secret) } }) };
        assert.match(refusalWith(leaking, "v1 Secret", options), silent);
      }),
    );
  });
});
