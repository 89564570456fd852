// Users and groups as an image's own /etc/passwd and /etc/group know them. Numbers need not be in there, names must.

/** The largest user or group id that Kubernetes knows. */
export const maxId = 2_147_483_647;

export interface User {
  /** "" for a user that the image does not know. */
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

export interface Group {
  readonly name: string;
  readonly gid: number;
  readonly members: readonly string[];
}

export function findUser(users: readonly User[], name: string): User {
  if (isNumber(name)) return userById(users, checkedId(name));
  const user = users.find((one) => one.name === name);
  if (!user) throw new Error(`unable to find user ${name}: no matching entries in passwd file`);
  return user;
}

export function userById(users: readonly User[], uid: number): User {
  return users.find((one) => one.uid === uid) ?? { name: "", uid, gid: 0, home: "" };
}

export function findGroup(groups: readonly Group[], name: string): number {
  if (isNumber(name)) return checkedId(name);
  const group = groups.find((one) => one.name === name);
  if (!group) throw new Error(`unable to find group ${name}: no matching entries in group file`);
  return group.gid;
}

/** That have this user as a member. */
export function groupsOf(groups: readonly Group[], { name }: User): readonly number[] {
  return name === ""
    ? []
    : groups.filter(({ members }) => members.includes(name)).map(({ gid }) => gid);
}

/** `name:password:uid:gid:comment:home:shell`; other lines mean nothing. */
export function parsePasswd(text: string | undefined): readonly User[] {
  return fieldsOf(text).flatMap(([name = "", , uid = "", gid = "", , home = ""]) =>
    name !== "" && isNumber(uid) && isNumber(gid)
      ? [{ name, uid: Number(uid), gid: Number(gid), home }]
      : [],
  );
}

/** `name:password:gid:member,member` */
export function parseGroup(text: string | undefined): readonly Group[] {
  return fieldsOf(text).flatMap(([name = "", , gid = "", members = ""]) =>
    name !== "" && isNumber(gid) ? [{ name, gid: Number(gid), members: members.split(",") }] : [],
  );
}

function fieldsOf(text: string | undefined): readonly (readonly string[])[] {
  return (text ?? "").split("\n").map((line) => line.trim().split(":"));
}

export function isNumber(text: string): boolean {
  return /^\d+$/.test(text);
}

function checkedId(text: string): number {
  const id = Number(text);
  if (id > maxId)
    throw new Error(`the image's user or group id ${text} is not between 0 and ${maxId}`);
  return id;
}
