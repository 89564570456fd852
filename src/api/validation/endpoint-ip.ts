// Addresses behind which something is expected to answer.

import { type FieldError, invalid } from "./field-error.ts";
import type { FieldPath } from "./field-path.ts";
import { formatIp, type IpAddress, parseIp, validateIp } from "./ip-address.ts";

interface Rule {
  readonly applies: (bytes: readonly number[]) => boolean;
  readonly told: (text: string) => string;
}

const rules: readonly Rule[] = [
  {
    applies: (bytes) => bytes.every((byte) => byte === 0),
    told: (text) => `may not be unspecified (${text})`,
  },
  {
    applies: (bytes) =>
      bytes.length === 4 ? bytes[0] === 127 : bytes.every((byte, i) => byte === (i === 15 ? 1 : 0)),
    told: () => "may not be in the loopback range (127.0.0.0/8, ::1/128)",
  },
  {
    applies: ({ length, 0: a = 0, 1: b = 0 }) =>
      length === 4 ? a === 169 && b === 254 : a === 0xfe && (b & 0xc0) === 0x80,
    told: () => "may not be in the link-local range (169.254.0.0/16, fe80::/10)",
  },
  {
    applies: ({ length, 0: a = 0, 1: b = 0, 2: c = 0 }) =>
      length === 4 ? a === 224 && b === 0 && c === 0 : a === 0xff && (b & 0x0f) === 0x02,
    told: () => "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)",
  },
];

export function validateEndpointIp(path: FieldPath, value: string): FieldError[] {
  const ip = parseIp(value);
  if (ip === undefined) return [invalid(path, value, "must be a valid IP address")];
  const bytes = ip.mapped ? ip.bytes.slice(12) : ip.bytes;
  return rules
    .filter(({ applies }) => applies(bytes))
    .map(({ told }) => invalid(path, value, told(value)));
}

/** An address in one of the newer fields, where its spelling counts. */
export function validateCanonicalIp(path: FieldPath, value: string): FieldError[] {
  const errors = validateIp(path, value);
  const ip = parseIp(value);
  if (errors.length > 0 || ip === undefined || formatIp(ip) === value) return errors;
  return [invalid(path, value, `must be in canonical form (${JSON.stringify(formatIp(ip))})`)];
}

/** An IPv4 address in IPv6 notation is an IPv4 address. */
export function ipFamily(value: string): "IPv4" | "IPv6" | undefined {
  const ip: IpAddress | undefined = parseIp(value);
  if (ip === undefined) return undefined;
  return ip.family === 4 || ip.mapped ? "IPv4" : "IPv6";
}
