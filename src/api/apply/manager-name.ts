// Who writes, as managedFields names it.

/** Longer names are cut, not refused: nobody chose the name of a program for this. */
const maxBytes = 128;

/** The fieldManager of the request, or else the program: the user agent up to the first slash. */
export function managerName(fieldManager: string, userAgent: string): string {
  if (fieldManager !== "") {
    return fieldManager;
  }
  const encoder = new TextEncoder();
  const [program = ""] = userAgent.split("/");
  let name = "";
  let bytes = 0;
  for (const char of program.replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, "")) {
    bytes += encoder.encode(char).length;
    if (bytes > maxBytes) {
      break;
    }
    name += char;
  }
  return name;
}
