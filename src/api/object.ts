// Any object of the API, as far as all kinds are alike.

import type { JsonObject } from "./json.ts";
import type { ObjectMeta } from "./types.ts";

export interface ApiObject extends JsonObject {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
}
