// Addresses that are taken, and that other programs may read differently.

import type { FieldPath } from "./field-path.ts";
import { goQuote } from "./go-text.ts";
import { formatIp, parseCidr, parseIp } from "./ip-address.ts";

export function ipWarnings(path: FieldPath, value: string): string[] {
  const ip = parseIp(value);
  if (ip === undefined) return [];
  const canonical = formatIp(ip);
  if (ip.leadingZeros || ip.mapped) {
    return [
      path.says(`non-standard IP address ${goQuote(value)} is invalid: use ${goQuote(canonical)}`),
    ];
  }
  if (ip.family === 4 || canonical === value) return [];
  return [
    path.says(
      `IPv6 address ${goQuote(value)} should be in RFC 5952 canonical format (${goQuote(canonical)})`,
    ),
  ];
}

export function cidrWarnings(path: FieldPath, value: string): string[] {
  const cidr = parseCidr(value);
  if (cidr === undefined) return [];
  const { address, prefixLength } = cidr;
  const bytes = address.bytes.map((byte, i) => {
    const kept = Math.min(Math.max(prefixLength - i * 8, 0), 8);
    return byte & (0xff00 >> kept) & 0xff;
  });
  const network = { ...address, bytes };
  const masked = `${formatIp(network)}/${prefixLength}`;
  const warnings: string[] = [];
  if (bytes.some((byte, i) => byte !== address.bytes[i])) {
    const single = `${formatIp(address)}/${address.bytes.length * 8}`;
    warnings.push(
      path.says(
        `CIDR value ${goQuote(value)} is ambiguous in this context (should be ${goQuote(masked)} or ${goQuote(single)}?)`,
      ),
    );
  }
  if (cidr.leadingZeros || address.mapped) {
    warnings.push(
      path.says(`non-standard CIDR value ${goQuote(value)} is invalid: use ${goQuote(masked)}`),
    );
  }
  if (warnings.length > 0 || address.family === 4) return warnings;
  const canonical = `${formatIp(address)}/${prefixLength}`;
  if (canonical === value) return [];
  return [
    path.says(
      `IPv6 CIDR value ${goQuote(value)} should be in RFC 5952 canonical format (${goQuote(canonical)})`,
    ),
  ];
}
