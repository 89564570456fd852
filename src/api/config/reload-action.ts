// What an annotation says is to be done: "restart", "signal:HUP", "http:POST:http://127.0.0.1:8080/-/reload", "exec:nginx -s reload".

export type ReloadAction =
  /** Nothing is done: the process sees new files by itself, or nobody minds. */
  | { readonly type: "none" | "hot" | "restart" }
  /** "SIGHUP". */
  | { readonly type: "signal"; readonly signal: string }
  | { readonly type: "http"; readonly method: string; readonly url: string }
  | { readonly type: "exec"; readonly command: string };

/** `auto` is no action: what is done depends on the use. */
export type ReloadWish = ReloadAction | { readonly type: "auto" };

/** Those that programs use to be told something. KILL and STOP tell them nothing. */
const SIGNALS: ReadonlySet<string> = new Set(
  "HUP INT QUIT TERM USR1 USR2 ALRM CONT PIPE WINCH".split(" "),
);
const METHODS: ReadonlySet<string> = new Set(["GET", "PATCH", "POST", "PUT"]);
const MAX_LENGTH = 2048;

/** A sentence instead if it is none: "the signal KILL is not one of HUP, …". */
export function parseReloadWish(text: string): ReloadWish | string {
  const value = text.trim();
  if (value.length > MAX_LENGTH) return `it is longer than ${MAX_LENGTH} characters`;
  const [word = "", ...more] = value.split(":");
  const rest = more.length === 0 ? undefined : more.join(":");
  if (isPlain(word)) return rest === undefined ? { type: word } : `${word} takes nothing after it`;
  switch (word) {
    case "signal":
      return signalOf(rest ?? "");
    case "http":
      return requestOf(rest ?? "");
    case "exec":
      return commandOf(rest ?? "");
    default:
      return `${JSON.stringify(value)} is not one of auto, restart, signal:NAME, http:METHOD:URL, exec:COMMAND, hot, none`;
  }
}

function isPlain(word: string): word is "auto" | "hot" | "none" | "restart" {
  return word === "auto" || word === "hot" || word === "none" || word === "restart";
}

/** As it is written in an annotation. */
export function reloadWishText(wish: ReloadWish): string {
  switch (wish.type) {
    case "signal":
      return `signal:${wish.signal.replace(/^SIG/, "")}`;
    case "http":
      return `http:${wish.method}:${wish.url}`;
    case "exec":
      return `exec:${wish.command}`;
    case "auto":
    case "hot":
    case "none":
    case "restart":
      return wish.type;
  }
}

/** The same for people: without what is behind "?", where tokens live. */
export function reloadWishLabel(wish: ReloadWish): string {
  const text = reloadWishText(wish);
  return wish.type === "http" ? text.replace(/[?#].*$/s, "") : text;
}

function signalOf(text: string): ReloadWish | string {
  const name = text.trim().toUpperCase().replace(/^SIG/, "");
  if (!SIGNALS.has(name)) {
    return `the signal ${JSON.stringify(text)} is not one of ${[...SIGNALS].join(", ")}`;
  }
  return { type: "signal", signal: `SIG${name}` };
}

/** The method may be left out. */
function requestOf(text: string): ReloadWish | string {
  const [, method = "POST", url = ""] = /^(?:([A-Za-z]+):(?!\/\/))?(.*)$/s.exec(text.trim()) ?? [];
  if (!METHODS.has(method.toUpperCase())) {
    return `the method ${JSON.stringify(method)} is not one of ${[...METHODS].join(", ")}`;
  }
  if (!/^https?:\/\/[^\s/?#@]+([/?#]\S*)?$/.test(url) || !URL.canParse(url)) {
    return `${JSON.stringify(url)} is not a URL such as http://127.0.0.1:8080/-/reload`;
  }
  if (!isLoopback(new URL(url).hostname)) {
    return `the host of ${JSON.stringify(url)} is not 127.0.0.1, [::1] or localhost: the node asks, and it asks the pod alone`;
  }
  return { type: "http", method: method.toUpperCase(), url };
}

/** Whoever may write an annotation could else make the node's agent ask whatever the node can reach, and learn from the answer. */
function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}

function commandOf(text: string): ReloadWish | string {
  const command = text.trim();
  return command === "" ? "exec: needs a command" : { type: "exec", command };
}
