// Ports as probes and hooks name them.

import type { Container } from "../../api/types.ts";

/** A number, or the name of one of the container's ports. Throws in the original's words. */
export function containerPort(port: number | string, { ports }: Pick<Container, "ports">): number {
  const number = typeof port === "number" ? port : named(port, ports ?? []);
  if (number > 0 && number < 65_536) return number;
  throw new Error(`invalid port number: ${number}`);
}

function named(name: string, ports: NonNullable<Container["ports"]>): number {
  const found = ports.find((one) => one.name === name);
  if (found === undefined) throw new Error(`port ${JSON.stringify(name)} not found`);
  return found.containerPort;
}
