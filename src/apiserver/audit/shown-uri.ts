// A request's URI for logs. Credentials do not belong into URIs, and some are sent in them all the same.

const MAX_CHARACTERS = 4096;
const CUT = "...TRUNCATED";
const REDACTED = "REDACTED";

/** Names of parameters whose values nobody should read. */
const sensitive = /token|secret|passw|pwd|auth|credential|signature|api.?key|session|cookie/i;
/**
 * A JSON web token, also percent-encoded, and what follows the word that announces one. The bound of its head keeps
 * the time linear for texts that begin a token again and again.
 */
const token =
  /eyJ[\w-]{4,400}(?:\.|%2e)[\w-]{4,}(?:\.|%2e)?[\w-]*|(bearer(?:\s|%20|\+)+)[^\s&/]+/gi;
/** Of a URI that is sent whole, as to proxies. */
const userInfo = /^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i;

/** Without credentials, and cut if it is long. */
export function shownUri(url: string): string {
  const whole = url.startsWith("/") ? url : url.replace(userInfo, "$1");
  const at = whole.indexOf("?");
  const shown = at === -1 ? whole : whole.slice(0, at + 1) + shownQuery(whole.slice(at + 1));
  return shownText(shown, MAX_CHARACTERS);
}

/** Cut if it is long, and with what looks like a token replaced. */
export function shownText(text: string, maxCharacters: number): string {
  const short = text.length > maxCharacters ? text.slice(0, maxCharacters) + CUT : text;
  return short.replaceAll(
    token,
    (_, announced: string | undefined) => (announced ?? "") + REDACTED,
  );
}

function shownQuery(query: string): string {
  // Without an escape in it, nothing is hidden from the names.
  if (!query.includes("%") && !sensitive.test(query)) return query;
  return query.split("&").map(shownParameter).join("&");
}

function shownParameter(parameter: string): string {
  const at = parameter.indexOf("=");
  if (at === -1) return parameter;
  const name = parameter.slice(0, at);
  return sensitive.test(decoded(name)) ? `${name}=${REDACTED}` : parameter;
}

/** What cannot be read is taken for the worst. */
function decoded(name: string): string {
  try {
    return name.includes("%") ? decodeURIComponent(name) : name;
  } catch {
    return "token";
  }
}
