// IP addresses and CIDR values as fields hold them. Forms that different programs read differently (leading zeros,
// IPv4 inside IPv6) are understood, so that the error can say what is wrong with them.

import { type FieldError, invalid } from "./field-error.ts";
import type { FieldPath } from "./field-path.ts";

export interface IpAddress {
  readonly family: 4 | 6;
  /** 4 or 16 numbers. */
  readonly bytes: readonly number[];
  readonly leadingZeros: boolean;
  /** ::ffff:1.2.3.4 */
  readonly mapped: boolean;
}

export interface Cidr {
  readonly address: IpAddress;
  readonly prefixLength: number;
  readonly leadingZeros: boolean;
}

/** undefined if it is no address in any notation. */
export function parseIp(text: string): IpAddress | undefined {
  return text.includes(":") ? parseIpv6(text) : parseIpv4(text);
}

export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf("/");
  const digits = text.slice(slash + 1);
  if (slash === -1 || !/^[0-9]{1,9}$/.test(digits)) return undefined;
  const address = parseIp(text.slice(0, slash));
  const prefixLength = Number(digits);
  if (address === undefined || prefixLength > address.bytes.length * 8) return undefined;
  const leadingZeros = address.leadingZeros || (digits.length > 1 && digits.startsWith("0"));
  return { address, prefixLength, leadingZeros };
}

/** An address in one of the fields that are older than the strict rules; `known` are values that may stay. */
export function validateIp(
  path: FieldPath,
  value: string,
  known: readonly string[] = [],
): FieldError[] {
  if (known.includes(value)) return [];
  const ip = parseIp(value);
  if (ip === undefined) {
    const detail = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
    return [invalid(path, value, detail)];
  }
  if (ip.leadingZeros) return [invalid(path, value, "must not have leading 0s")];
  if (ip.mapped) return [invalid(path, value, "must not be an IPv4-mapped IPv6 address")];
  return [];
}

export function validateCidr(
  path: FieldPath,
  value: string,
  known: readonly string[] = [],
): FieldError[] {
  if (known.includes(value)) return [];
  const cidr = parseCidr(value);
  if (cidr === undefined) {
    const detail = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
    return [invalid(path, value, detail)];
  }
  if (cidr.leadingZeros) {
    return [invalid(path, value, "must not have leading 0s in IP or prefix length")];
  }
  if (cidr.address.mapped) {
    return [invalid(path, value, "must not have an IPv4-mapped IPv6 address")];
  }
  if (hasHostBits(cidr)) {
    return [invalid(path, value, "must not have bits set beyond the prefix length")];
  }
  return [];
}

/** 1.2.3.4, or RFC 5952 for IPv6. A mapped address is shown as the IPv4 address in it. */
export function formatIp(ip: IpAddress): string {
  if (ip.family === 4) return ip.bytes.join(".");
  if (ip.mapped) return ip.bytes.slice(12).join(".");
  const groups = Array.from({ length: 8 }, (_, i) => group(ip.bytes, i));
  const { start, length } = longestZeros(groups);
  const hex = (part: readonly number[]) => part.map((value) => value.toString(16)).join(":");
  if (length < 2) return hex(groups);
  return `${hex(groups.slice(0, start))}::${hex(groups.slice(start + length))}`;
}

/** Whether there is one address of each family. */
export function isDualStack(addresses: readonly (IpAddress | undefined)[]): boolean {
  const families = new Set(addresses.map((ip) => (ip?.mapped === true ? 4 : ip?.family)));
  return families.has(4) && families.has(6);
}

function parseIpv4(text: string): IpAddress | undefined {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^[0-9]{1,9}$/.test(part))) return undefined;
  const bytes = parts.map(Number);
  if (bytes.some((byte) => byte > 255)) return undefined;
  const leadingZeros = parts.some((part) => part.length > 1 && part.startsWith("0"));
  return { family: 4, bytes, leadingZeros, mapped: false };
}

function parseIpv6(text: string): IpAddress | undefined {
  const colon = text.lastIndexOf(":");
  const dotted = text.slice(colon + 1);
  if (colon === -1 || !dotted.includes(".")) return ipv6Of(text, false);
  const last = parseIpv4(dotted);
  if (last === undefined) return undefined;
  const groups = [group(last.bytes, 0), group(last.bytes, 1)].map((value) => value.toString(16));
  return ipv6Of(text.slice(0, colon + 1) + groups.join(":"), last.leadingZeros);
}

function ipv6Of(text: string, leadingZeros: boolean): IpAddress | undefined {
  const halves = text.split("::").map((half) => (half === "" ? [] : half.split(":")));
  const parts = halves.flat();
  if (halves.length > 2 || !parts.every((part) => /^[0-9a-fA-F]{1,4}$/.test(part)))
    return undefined;
  const missing = 8 - parts.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const [head = [], tail = []] = halves;
  const zeros = new Array<string>(missing).fill("0");
  const groups = [...head, ...zeros, ...tail].map((part) => Number.parseInt(part, 16));
  const bytes = groups.flatMap((value) => [value >> 8, value & 255]);
  const mapped = groups.slice(0, 5).every((value) => value === 0) && groups[5] === 0xffff;
  return { family: 6, bytes, leadingZeros, mapped };
}

function group(bytes: readonly number[], i: number): number {
  return (bytes[i * 2] ?? 0) * 256 + (bytes[i * 2 + 1] ?? 0);
}

function longestZeros(groups: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  let length = 0;
  for (const [i, value] of groups.entries()) {
    length = value === 0 ? length + 1 : 0;
    if (length > best.length) best = { start: i - length + 1, length };
  }
  return best;
}

function hasHostBits({ address, prefixLength }: Cidr): boolean {
  return address.bytes.some((byte, i) => {
    const kept = Math.min(Math.max(prefixLength - i * 8, 0), 8);
    return (byte & (0xff >> kept)) !== 0;
  });
}
