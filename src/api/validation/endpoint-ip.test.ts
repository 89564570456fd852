import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ipFamily, validateCanonicalIp, validateEndpointIp } from "./endpoint-ip.ts";
import { FieldPath } from "./field-path.ts";

const path = FieldPath.of("ip");

const refused: readonly (readonly [ip: string, detail: string])[] = [
  ["0.0.0.0", "may not be unspecified (0.0.0.0)"],
  ["::", "may not be unspecified (::)"],
  ["127.1.2.3", "may not be in the loopback range (127.0.0.0/8, ::1/128)"],
  ["::1", "may not be in the loopback range (127.0.0.0/8, ::1/128)"],
  ["169.254.9.9", "may not be in the link-local range (169.254.0.0/16, fe80::/10)"],
  ["fe80::1", "may not be in the link-local range (169.254.0.0/16, fe80::/10)"],
  ["224.0.0.1", "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"],
  ["ff02::1", "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"],
  ["::ffff:127.0.0.1", "may not be in the loopback range (127.0.0.0/8, ::1/128)"],
  ["nowhere", "must be a valid IP address"],
];

describe("validateEndpointIp", () => {
  for (const [ip, detail] of refused) {
    it(`refuses ${ip}`, () => {
      const messages = validateEndpointIp(path, ip).map(({ message }) => message);
      assert.deepEqual(messages, [`Invalid value: ${JSON.stringify(ip)}: ${detail}`]);
    });
  }

  it("accepts addresses at which something can be", () => {
    for (const ip of ["10.0.0.1", "2001:db8::1", "224.0.1.1"]) {
      assert.deepEqual(validateEndpointIp(path, ip), []);
    }
  });
});

describe("validateCanonicalIp", () => {
  it("wants the one spelling", () => {
    assert.deepEqual(validateCanonicalIp(path, "2001:db8::1"), []);
    const [error] = validateCanonicalIp(path, "2001:db8:0:0::1");
    const text = 'must be in canonical form ("2001:db8::1")';
    assert.equal(error?.message, `Invalid value: "2001:db8:0:0::1": ${text}`);
  });
});

describe("ipFamily", () => {
  it("takes an IPv4 address in IPv6 notation for what it is", () => {
    const families = ["10.0.0.1", "::1", "::ffff:10.0.0.1", "x"].map(ipFamily);
    assert.deepEqual(families, ["IPv4", "IPv6", "IPv4", undefined]);
  });
});
