// Who asks.

export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export const AUTHENTICATED = "system:authenticated";
const UNAUTHENTICATED = "system:unauthenticated";
/** Members may do everything; no rule can take that from them. */
export const MASTERS = "system:masters";

export const anonymous: UserInfo = { name: "system:anonymous", groups: [UNAUTHENTICATED] };
