// Whether a value fulfils a JSON Schema. Draft 7, or the one that the schema names. What is told is where and which rule: never the
// value, nor what the rule compares it with. `format` is not checked: Kubernetes does not either, and everybody understands it differently.

import { Ajv, type ErrorObject, type Options, type ValidateFunction } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";

/** Of the paths that are told: a content can have any. */
const MAX_PATH_LENGTH = 200;

const options: Options = {
  strict: false,
  validateFormats: false,
  logger: false,
  addUsedSchema: false,
};

/** The policy has a schema that says nothing. */
export class UnusableSchemaError extends Error {
  override readonly name = "UnusableSchemaError";
}

/** Throws UnusableSchemaError. */
export function compileSchema(schema: unknown): (value: unknown) => string | undefined {
  const validate = compiled(schema);
  return (value) => (validate(value) ? undefined : failureText(validate.errors?.[0]));
}

function compiled(schema: unknown): ValidateFunction {
  if (typeof schema !== "boolean" && (typeof schema !== "object" || schema === null)) {
    throw new UnusableSchemaError("it is neither an object nor true or false");
  }
  // One for each schema: two with the same $id have nothing to do with each other.
  const ajv = dialectOf(schema);
  let validate: ValidateFunction;
  try {
    validate = ajv.compile(schema);
  } catch {
    // What is wrong is in the policy, whose author can try it; the text could quote examples.
    throw new UnusableSchemaError("it is no JSON Schema, or refers to one that is not in it");
  }
  // It would say yes to everything, and mean it later.
  if ("$async" in validate) throw new UnusableSchemaError("it is asynchronous");
  return validate;
}

function dialectOf(schema: object | boolean): Ajv {
  const named = typeof schema === "object" && "$schema" in schema ? schema.$schema : undefined;
  const dialect = typeof named === "string" ? named : "";
  if (dialect.includes("2020-12")) return new Ajv2020(options);
  return dialect.includes("2019-09") ? new Ajv2019(options) : new Ajv(options);
}

function failureText(error: ErrorObject | undefined): string {
  if (error === undefined) return "it does not fulfil the schema";
  const { instancePath, keyword, params } = error;
  const path = instancePath === "" ? "/" : instancePath;
  const name = nameIn(params);
  const rule = name === undefined ? keyword : `${keyword} (${name})`;
  return `at ${shortened(path)}: ${rule}`;
}

/** Names of members are paths. All other parameters are values, or could be taken for them. */
function nameIn(params: Readonly<Record<string, unknown>>): string | undefined {
  for (const key of [
    "missingProperty",
    "additionalProperty",
    "unevaluatedProperty",
    "propertyName",
  ]) {
    const name = params[key];
    if (typeof name === "string") return shortened(name);
  }
  return undefined;
}

function shortened(path: string): string {
  const printable = JSON.stringify(path).slice(1, -1);
  return printable.length <= MAX_PATH_LENGTH
    ? printable
    : `${printable.slice(0, MAX_PATH_LENGTH)}…`;
}
