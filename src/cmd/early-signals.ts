// The first process of a container loses every signal that it has no handler for: the kernel drops it, and whoever sent a TERM waits for
// nothing until he kills. Loading a command takes several times as long as starting Node, so they are heard before that, and given to the command when it listens.

/** Those that ask a process to end. Any other has nobody to mean it for before there is a program. */
const ASKING: ReadonlySet<string> = new Set(["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM"]);

/** What is needed of `process`. */
export interface SignalSource {
  on(name: string, listener: (name: string) => void): unknown;
  off(name: string, listener: (name: string) => void): unknown;
  emit(name: string, ...args: readonly unknown[]): boolean;
}

/** For each signal until somebody else listens to it, who gets it then if it was heard. */
export function hearEarly(source: SignalSource): void {
  const heard = new Set<string>();
  const hear = (name: string): void => void heard.add(name);
  const waiting = new Set(ASKING);
  const onListener = (name: string): void => {
    if (!waiting.delete(name)) return;
    // "newListener" comes before it is one.
    queueMicrotask(() => {
      source.off(name, hear);
      if (heard.delete(name)) source.emit(name, name);
    });
    if (waiting.size === 0) source.off("newListener", onListener);
  };
  for (const name of ASKING) source.on(name, hear);
  source.on("newListener", onListener);
}
