// Which file a command means, inside the container and as its user. The words are those of Go's exec.LookPath, which other
// runtimes use.

import { accessSync, constants, statSync } from "node:fs";
import { posix } from "node:path";
import { isErrno } from "../../base/errors.ts";
import { LaunchError, reasonOf } from "./launch-error.ts";

export function findProgram(command: string, searchPath: string): string {
  if (command === "") {
    throw new LaunchError(`exec: "": executable file not found in $PATH`);
  }
  if (command.includes("/")) {
    const problem = problemOf(command);
    if (problem !== undefined) {
      throw new LaunchError(`exec: "${command}": ${problem}`);
    }
    return command;
  }
  let denied = false;
  for (const directory of searchPath.split(":")) {
    const path = posix.join(directory === "" ? "." : directory, command);
    const problem = problemOf(path);
    if (problem === undefined) {
      return path;
    }
    denied ||= problem === "permission denied";
  }
  throw new LaunchError(
    `exec: "${command}": ${denied ? "permission denied" : "executable file not found in $PATH"}`,
  );
}

function problemOf(path: string): string | undefined {
  try {
    if (statSync(path).isDirectory()) {
      return "is a directory";
    }
  } catch (err) {
    return `stat ${path}: ${reasonOf(err)}`;
  }
  try {
    accessSync(path, constants.X_OK);
    return undefined;
  } catch (err) {
    return isErrno(err, "EACCES") ? "permission denied" : reasonOf(err);
  }
}
