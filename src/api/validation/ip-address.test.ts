import assert from "node:assert/strict";
import { isIP } from "node:net";
import { describe, it } from "node:test";
import fc from "fast-check";
import { FieldPath } from "./field-path.ts";
import { formatIp, parseIp, validateCidr, validateIp } from "./ip-address.ts";
import { cidrWarnings, ipWarnings } from "./ip-warnings.ts";
import { told } from "./testing/judged.ts";

const path = FieldPath.of("ip");

describe("validateIp", () => {
  const cases: readonly [string, string | undefined][] = [
    ["10.9.8.7", undefined],
    ["2001:db8::ffff", undefined],
    ["::", undefined],
    ["1::2:3.4.5.6", undefined],
    ["", "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"],
    ["1.2.3", "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"],
    ["1.2.3.256", "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"],
    ["1::2::3", "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"],
    ["fe80::1%eth0", "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"],
    ["010.002.003.004", "must not have leading 0s"],
    ["::ffff:1.2.3.4", "must not be an IPv4-mapped IPv6 address"],
  ];
  for (const [value, detail] of cases) {
    it(`${detail === undefined ? "takes" : "refuses"} ${JSON.stringify(value)}`, () => {
      const expected = detail === undefined ? [] : [`ip: Invalid value: "${value}": ${detail}`];
      assert.deepEqual(told(validateIp(path, value)), expected);
    });
  }

  it("lets a value stay that was there before", () => {
    assert.deepEqual(validateIp(path, "01.2.3.4", ["01.2.3.4"]), []);
  });
});

describe("validateCidr", () => {
  const cases: readonly [string, string | undefined][] = [
    ["10.9.8.0/24", undefined],
    ["2001:db8::/64", undefined],
    ["0.0.0.0/0", undefined],
    ["10.9.8.0", "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"],
    ["10.9.8.0/33", "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"],
    ["10.9.8.0/024", "must not have leading 0s in IP or prefix length"],
    ["::ffff:1.2.3.0/120", "must not have an IPv4-mapped IPv6 address"],
    ["10.9.8.7/24", "must not have bits set beyond the prefix length"],
  ];
  for (const [value, detail] of cases) {
    it(`${detail === undefined ? "takes" : "refuses"} ${value}`, () => {
      const expected = detail === undefined ? [] : [`ip: Invalid value: "${value}": ${detail}`];
      assert.deepEqual(told(validateCidr(path, value)), expected);
    });
  }
});

describe("parseIp", () => {
  it("knows the addresses that the platform knows, but for zones", () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
        assert.equal(parseIp(text)?.family, isIP(text));
      }),
    );
  });

  it("reads back what it writes", () => {
    fc.assert(
      fc.property(fc.ipV6(), (text) => {
        const ip = parseIp(text);
        assert.ok(ip);
        if (!ip.mapped) assert.deepEqual(parseIp(formatIp(ip))?.bytes, ip.bytes);
      }),
    );
  });
});

describe("Warnings about addresses", () => {
  it("name the form that everybody reads alike", () => {
    assert.deepEqual(ipWarnings(path, "1.2.3.4"), []);
    assert.deepEqual(ipWarnings(path, "FE80:0:0::1"), [
      'ip: IPv6 address "FE80:0:0::1" should be in RFC 5952 canonical format ("fe80::1")',
    ]);
    assert.deepEqual(ipWarnings(path, "01.2.3.4"), [
      'ip: non-standard IP address "01.2.3.4" is invalid: use "1.2.3.4"',
    ]);
    assert.deepEqual(cidrWarnings(path, "10.1.2.3/8"), [
      'ip: CIDR value "10.1.2.3/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.1.2.3/32"?)',
    ]);
    assert.deepEqual(cidrWarnings(path, "FE80::/64"), [
      'ip: IPv6 CIDR value "FE80::/64" should be in RFC 5952 canonical format ("fe80::/64")',
    ]);
  });
});
