// The user that a service account is.

const PREFIX = "system:serviceaccount:";

export interface AccountName {
  readonly namespace: string;
  readonly name: string;
}

/** Undefined if it is another kind of user. */
export function serviceAccountOf(userName: string): AccountName | undefined {
  if (!userName.startsWith(PREFIX)) return undefined;
  const [namespace = "", name = "", ...more] = userName.slice(PREFIX.length).split(":");
  return namespace === "" || name === "" || more.length > 0 ? undefined : { namespace, name };
}

export function serviceAccountUserName({ namespace, name }: AccountName): string {
  return `${PREFIX}${namespace}:${name}`;
}

export function serviceAccountGroups(namespace: string): readonly string[] {
  return ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
}
