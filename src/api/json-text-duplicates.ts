// Which fields of a JSON text are given more than once. JSON.parse silently keeps the last one; the API warns, or
// refuses, by path.

/** As many as the API reports at most. */
const maxReported = 100;
/** Of all paths together: below a key of a megabyte every duplicate has a path of a megabyte. */
const maxToldLength = 64 * 1024;

interface Frame {
  /** Null for a list. */
  readonly keys: Set<string> | null;
  readonly path: string;
  /** Of the item that is being read; only counted in a list. */
  index: number;
  key: string;
}

/** Paths in the order in which the repetitions come; each path once. Only for valid JSON. */
export function duplicateFields(text: string): readonly string[] {
  const found = new Told();
  const frames: Frame[] = [];
  for (let i = 0; i < text.length && !found.isFull; i++) {
    const frame = frames.at(-1);
    switch (text.charAt(i)) {
      case "{":
        frames.push({ keys: new Set(), path: pathOf(frame), index: 0, key: "" });
        break;
      case "[":
        frames.push({ keys: null, path: pathOf(frame), index: 0, key: "" });
        break;
      case "}":
      case "]":
        frames.pop();
        break;
      case ",":
        if (frame !== undefined) frame.index++;
        break;
      case '"': {
        const start = i;
        i = endOfString(text, i);
        if (isKey(text, i) && noteKey(frame, text.slice(start, i + 1))) found.tell(pathOf(frame));
        break;
      }
    }
  }
  return [...found.paths];
}

class Told {
  readonly paths = new Set<string>();
  #length = 0;

  get isFull(): boolean {
    return this.paths.size >= maxReported || this.#length >= maxToldLength;
  }

  tell(path: string): void {
    this.paths.add(path);
    this.#length += path.length;
  }
}

/** Whether the key was there before. */
function noteKey(frame: Frame | undefined, quoted: string): boolean {
  if (frame?.keys == null) return false;
  frame.key = JSON.parse(quoted) as string;
  if (frame.keys.has(frame.key)) return true;
  frame.keys.add(frame.key);
  return false;
}

function pathOf(frame: Frame | undefined): string {
  if (frame === undefined) return "";
  const { keys, path, index, key } = frame;
  if (keys === null) return `${path}[${index}]`;
  return path === "" ? key : `${path}.${key}`;
}

/** Whether a colon follows the string that ends here. */
function isKey(text: string, end: number): boolean {
  let i = end + 1;
  while (" \t\r\n".includes(text.charAt(i))) i++;
  return text[i] === ":";
}

/** The place of the quote that ends the string that starts at `start`. Only for valid JSON. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  for (;;) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === 0x5c) slashes++;
    if (slashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
}
