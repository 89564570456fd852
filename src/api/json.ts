// What travels: plain JSON values. An object that came from the store or the cache is shared by many readers and
// is never changed in place; a function that changes its argument says so.

export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

/** `undefined` and a missing key are the same; JSON.stringify drops both. */
export interface JsonObject {
  [key: string]: JsonValue | undefined;
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
