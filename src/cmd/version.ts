// `driftless version`, and what the server says of itself on /version.

import { readFileSync } from "node:fs";
import { Command } from "commander";

/** The Kubernetes whose API is served. Clients compare it with their own version. */
const KUBERNETES = { major: "1", minor: "36", patch: "0" };

export function productVersion(): string {
  const file = new URL("../../package.json", import.meta.url);
  const { version } = JSON.parse(readFileSync(file, "utf8")) as { readonly version: string };
  return version;
}

/** The document of /version. Clients parse gitVersion as a semantic version. */
export function serverVersion(): Readonly<Record<string, string>> & {
  readonly gitVersion: string;
} {
  const { major, minor, patch } = KUBERNETES;
  return {
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Number(minor) - 1),
    gitVersion: `v${major}.${minor}.${patch}+driftless.${productVersion()}`,
    gitCommit: "",
    gitTreeState: "clean",
    buildDate: "1970-01-01T00:00:00Z",
    goVersion: `node ${process.version}`,
    compiler: "none",
    platform: `${process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`,
  };
}

export function versionCommand(): Command {
  return new Command("version")
    .description("print the version")
    .option("-o, --output <format>", "json for programs")
    .addHelpText("after", "\nExample:\n  driftless version -o json")
    .action(({ output }: { readonly output?: string }) => {
      const { major, minor, patch } = KUBERNETES;
      const info = {
        driftless: productVersion(),
        kubernetes: `v${major}.${minor}.${patch}`,
        node: process.version,
      };
      const text =
        output === "json"
          ? JSON.stringify(info)
          : `driftless ${info.driftless} (Kubernetes API ${info.kubernetes}, Node ${info.node})`;
      process.stdout.write(`${text}\n`);
    });
}
