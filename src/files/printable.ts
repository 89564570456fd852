// Names of files for messages. A name may be 4 KiB long and have line ends in it; a log line should not.

const MAX_SHOWN = 300;

export function printable(name: string): string {
  const escaped = JSON.stringify(name).slice(1, -1).replaceAll('\\"', '"');
  if (escaped.length <= MAX_SHOWN) return escaped;
  return `${escaped.slice(0, MAX_SHOWN)}… (${Buffer.byteLength(name)} bytes)`;
}
