// The end of a connection whose client has been told everything.

/**
 * How long the client may take to close it. It may be a person who reads the output page by page: cutting the connection
 * would lose what is still on its way to them.
 */
export const partingMs = 300_000;
