// What the process's own output can show.

import type { Look } from "../cli/answers/look.ts";

/** Whether a terminal is to be written to in colour. NO_COLOR is respected (no-color.org). */
export function terminalColour(): boolean {
  const { NO_COLOR: noColour = "", TERM: term = "" } = process.env;
  return noColour === "" && term !== "dumb";
}

export function terminalLook(): Look {
  const { env, stdout } = process;
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  return {
    columns: stdout.isTTY ? stdout.columns : undefined,
    hasColour: stdout.isTTY && terminalColour(),
    isUnicode: /utf-?8/i.test(locale),
  };
}
