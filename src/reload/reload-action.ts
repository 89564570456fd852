// One way of telling a program that its configuration has changed: by a signal, by an HTTP request, by a command. Each is tried once here;
// that it is tried again is the Reloader's business.

/**
 * Settles when the program was told, as far as that can be known. Throws with a message for people, without anything that may be secret, and
 * within its own time limit; or what `signal` aborted with.
 */
export type ReloadTry = (signal: AbortSignal) => Promise<void>;
