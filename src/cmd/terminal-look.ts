// What the process's own output can show.

import type { Look } from "../cli/answers/look.ts";

/** NO_COLOR is respected (no-color.org). */
export function terminalLook(): Look {
  const { env, stdout } = process;
  const { NO_COLOR: noColour = "", TERM: term = "" } = env;
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  return {
    columns: stdout.isTTY ? stdout.columns : undefined,
    hasColour: stdout.isTTY && noColour === "" && term !== "dumb",
    isUnicode: /utf-?8/i.test(locale),
  };
}
