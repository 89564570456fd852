// The flags of the node agent, which `node` and `up` share.

import type { Command } from "commander";
import type { ChangeDetectionStrategy } from "../agent/objects/create-object-manager.ts";
import { parseDuration } from "./duration.ts";
import { MisuseError } from "./misuse-error.ts";

export interface AgentFlags {
  readonly nodeName?: string;
  readonly address: readonly string[];
  readonly manifests?: string;
  readonly changeDetection: string;
  readonly syncFrequency: string;
  readonly maxPods: string;
  readonly maxPids: string;
}

export interface AgentSettings {
  readonly strategy: ChangeDetectionStrategy;
  readonly syncPeriodMs: number;
  readonly maxPods: number;
  readonly pidsLimit: number | undefined;
}

const STRATEGIES: readonly string[] = ["Watch", "Cache", "Get"] satisfies ChangeDetectionStrategy[];

export function agentOptions(command: Command): Command {
  return (
    command
      .option("--node-name <name>", "the name of this node (default: the machine's)")
      .option(
        "--address <ip>",
        "an address by which others reach this machine (repeat it for a second family; default: found out)",
        (address: string, all: readonly string[]) => [...all, address],
        [] as readonly string[],
      )
      .option(
        "--manifests <dir>",
        "run the pods in these files, with or without a server (default: DIR/manifests)",
      )
      .option(
        "--change-detection <strategy>",
        `how changes of objects are found: ${STRATEGIES.join(", ")}`,
        "Watch",
      )
      .option(
        "--sync-frequency <duration>",
        "how often everything is looked at although nothing was heard of",
        "60s",
      )
      // The kubelet's number.
      .option("--max-pods <number>", "how many pods the scheduler may place here", "110")
      .option(
        "--max-pids <number>",
        "processes and threads that one container may have, 0 for any number",
        "4096",
      )
  );
}

export function agentSettings({
  changeDetection,
  syncFrequency,
  maxPods,
  maxPids,
}: AgentFlags): AgentSettings {
  if (!STRATEGIES.includes(changeDetection)) {
    throw new MisuseError(
      `--change-detection ${changeDetection}: must be one of ${STRATEGIES.join(", ")}`,
    );
  }
  return {
    strategy: changeDetection as ChangeDetectionStrategy,
    syncPeriodMs: parseDuration("--sync-frequency", syncFrequency),
    maxPods: numberOf("--max-pods", maxPods),
    // 0: none.
    pidsLimit: numberOf("--max-pids", maxPids) || undefined,
  };
}

function numberOf(flag: string, text: string): number {
  if (!/^\d{1,7}$/.test(text)) throw new MisuseError(`${flag} ${text}: must be a whole number`);
  return Number(text);
}
