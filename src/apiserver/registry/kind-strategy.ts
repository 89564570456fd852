// Strategies of kinds with defaults and a status. Clients set the status through its own subresource only, which in
// turn changes nothing but the status and metadata.

import { applyTableDefaults } from "../../api/defaults/table-defaults.ts";
import { restoreTableOrder } from "../../api/defaults/table-order.ts";
import type { JsonObject } from "../../api/json.ts";
import { zeroOf } from "../../api/object-form.ts";
import { servedKind } from "./served-kind.ts";
import { type Strategy, strategyOf } from "./strategy.ts";

/** The three that prepare find the status cleared or kept already, or everything else kept. */
export type KindRules<T> = Omit<Strategy<T>, "kind" | "applyDefaults"> & {
  /** Those that are in the table are filled in afterwards. */
  readonly setDefaults?: (object: T) => void;
};

/** `T` is the type that the tables have for this kind; nobody checks that. */
export function kindStrategy<T extends object>(
  apiVersion: string,
  name: string,
  rules: KindRules<T>,
): Strategy {
  const { setDefaults, ...others } = rules;
  const kind = servedKind(apiVersion, name);
  const status = kind.schema.fields.get("status");
  const fields = [...kind.schema.fields.keys()];
  const specFields = fields.filter((field) => field !== "metadata" && field !== "status");
  return strategyOf<T>({
    ...others,
    kind,
    applyDefaults(object) {
      setDefaults?.(object);
      applyTableDefaults(kind.schema, asJson(object));
      restoreTableOrder(kind.schema, asJson(object));
    },
    prepareForCreate(object, context) {
      if (status !== undefined) asJson(object)["status"] = zeroOf(status);
      rules.prepareForCreate?.(object, context);
      restoreTableOrder(kind.schema, asJson(object));
    },
    prepareForUpdate(object, old, context) {
      if (status !== undefined) asJson(object)["status"] = asJson(old)["status"];
      rules.prepareForUpdate?.(object, old, context);
      restoreTableOrder(kind.schema, asJson(object));
    },
    prepareForStatusUpdate(object, old, context) {
      for (const field of specFields) asJson(object)[field] = asJson(old)[field];
      rules.prepareForStatusUpdate?.(object, old, context);
      restoreTableOrder(kind.schema, asJson(object));
    },
  });
}

function asJson(object: object): JsonObject {
  return object as JsonObject;
}
