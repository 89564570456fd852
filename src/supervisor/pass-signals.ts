// Signals that we get are the program's: it decides what they mean.

/** All that a program may be sent by people and by other programs, and that Node can hear of. Not SIGCHLD, which is about us; not SIGPIPE, which Node ignores. */
const PASSED: readonly NodeJS.Signals[] = [
  "SIGHUP",
  "SIGTERM",
  "SIGUSR1",
  "SIGUSR2",
  "SIGALRM",
  "SIGVTALRM",
  "SIGIO",
  "SIGPWR",
  "SIGURG",
];
/** What a terminal gives to everybody in the foreground, and so to the program too if there is one. */
const FROM_TERMINAL: readonly NodeJS.Signals[] = ["SIGINT", "SIGQUIT"];
/** The same; and we have no wish to hear of them: what stops the program stops us with it, as a shell expects. */
const OF_JOBS: readonly NodeJS.Signals[] = ["SIGWINCH", "SIGTSTP", "SIGCONT", "SIGTTIN", "SIGTTOU"];

export interface SignalReceiver {
  forward(signal: NodeJS.Signals, options?: { readonly reaches?: boolean }): void;
}

/** Until it is disposed of. */
export function passSignals(
  receiver: SignalReceiver,
  { hasTerminal }: { readonly hasTerminal: boolean },
): Disposable {
  const onSignal = (signal: NodeJS.Signals): void => receiver.forward(signal);
  const onReaching = (signal: NodeJS.Signals): void => receiver.forward(signal, { reaches: true });
  const passed = hasTerminal ? PASSED : [...PASSED, ...FROM_TERMINAL, ...OF_JOBS];
  const reaching = hasTerminal ? FROM_TERMINAL : [];
  for (const signal of passed) process.on(signal, onSignal);
  for (const signal of reaching) process.on(signal, onReaching);
  return {
    [Symbol.dispose]: () => {
      for (const signal of passed) process.off(signal, onSignal);
      for (const signal of reaching) process.off(signal, onReaching);
    },
  };
}
