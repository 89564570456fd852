// Who a container's process is: what the container says, else what the pod says, else what the image says. Names are of the image's own
// /etc/passwd and /etc/group, and mean nothing to the node's.

import type { Pod } from "../../api/types.ts";
import type { ContainerUser } from "../../runtime/runtime.ts";
import type { AnyContainer } from "../all-containers.ts";
import {
  findGroup,
  findUser,
  groupsOf,
  isNumber,
  maxId,
  parseGroup,
  parsePasswd,
  userById,
} from "./image-users.ts";

export interface UserSources {
  readonly pod: Pod;
  readonly container: Pick<AnyContainer, "name" | "securityContext">;
  /** As the image says it: "", "uid", "uid:gid", "name" or "name:group". */
  readonly imageUser: string;
  /** A file of the image, or undefined if it has none by this path. */
  readonly imageFile: (path: "/etc/passwd" | "/etc/group") => Promise<string | undefined>;
}

export interface ResolvedUser extends ContainerUser {
  /** The user's home directory; "/" for users that the image does not know. */
  readonly home: string;
}

/** Throws with the kubelet's texts if the container may not run as this user, or if the image does not know it. */
export async function containerUser(sources: UserSources): Promise<ResolvedUser> {
  const { pod, container } = sources;
  const context = {
    ...definedOf(pod.spec.securityContext),
    ...definedOf(container.securityContext),
  };
  const { runAsUser, runAsGroup, supplementalGroupsPolicy } = context;
  const [imageName = "", imageGroup = ""] = sources.imageUser.split(":", 2);
  if (context.runAsNonRoot) checkNonRoot(sources, runAsUser, imageName);

  const users = parsePasswd(await sources.imageFile("/etc/passwd"));
  const groups = parseGroup(await sources.imageFile("/etc/group"));
  const isImages = runAsUser === undefined;
  const user = isImages ? findUser(users, imageName || "0") : userById(users, runAsUser);
  // The image's group goes with the image's user only.
  const ownGroup = () => (isImages && imageGroup ? findGroup(groups, imageGroup) : user.gid);
  const further = [
    ...(context.fsGroup === undefined ? [] : [context.fsGroup]),
    ...(context.supplementalGroups ?? []),
    ...(supplementalGroupsPolicy === "Strict" ? [] : groupsOf(groups, user)),
  ];
  return {
    uid: user.uid,
    gid: runAsGroup ?? ownGroup(),
    supplementalGroups: [...new Set(further)],
    home: user.home || "/",
  };
}

/** Without the fields that are there and say nothing: they would hide what the pod says. */
function definedOf<T extends object>(context: T | undefined): Partial<T> {
  return Object.fromEntries(
    Object.entries(context ?? {}).filter(([, value]) => value !== undefined && value !== null),
  ) as Partial<T>;
}

function checkNonRoot(
  sources: UserSources,
  runAsUser: number | undefined,
  imageName: string,
): void {
  const { pod, container } = sources;
  const { name, namespace, uid } = pod.metadata;
  const where = `(pod: ${JSON.stringify(`${name}_${namespace}(${uid})`)}, container: ${container.name})`;
  if (runAsUser !== undefined) {
    if (runAsUser !== 0) return;
    throw new Error(`container's runAsUser breaks non-root policy ${where}`);
  }
  if (imageName !== "" && !isNumber(imageName)) {
    throw new Error(
      `container has runAsNonRoot and image has non-numeric user (${imageName}), cannot verify user is non-root ${where}`,
    );
  }
  const imageUid = Number(imageName);
  if (imageUid === 0) {
    throw new Error(`container has runAsNonRoot and image will run as root ${where}`);
  }
  if (imageUid > maxId) {
    throw new Error(
      `container has runAsNonRoot and image has an invalid user id (${imageName}). (Must be 1-(${maxId})): must be between 0 and ${maxId}, inclusive ${where}`,
    );
  }
}
