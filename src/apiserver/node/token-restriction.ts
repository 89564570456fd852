// Tokens that a node may ask for: bound to a pod that is bound to the node, for an audience that the pod mounts a token
// for. That the pod runs under the account of the token is checked where tokens are made.

import type { Pod, TokenRequest } from "../../api/types.ts";
import { list, text } from "../../api/validation/absent.ts";
import { goQuote } from "../../api/validation/go-text.ts";
import { isBoundTo, type NodeWrite, podNamed, refusal } from "./restriction.ts";

export function restrictTokens(write: NodeWrite): void {
  const { node, request } = write;
  if (request.operation !== "CREATE" || request.subresource !== "token") return;
  const { spec } = request.object as unknown as TokenRequest;
  const { apiVersion, kind, name = "", uid = "" } = spec.boundObjectRef ?? {};
  if (apiVersion !== "v1" || kind !== "Pod" || name === "") {
    throw refusal(write, "node requested token not bound to a pod");
  }
  if (uid === "") throw refusal(write, "node requested token with a pod binding without a uid");
  const pod = podNamed(write, name);
  if (uid !== pod.metadata.uid) {
    throw refusal(
      write,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  }
  if (!isBoundTo(node, pod)) {
    throw refusal(write, "node requested token bound to a pod scheduled on a different node");
  }
  restrictAudience(write, { audiences: list(spec.audiences), pod });
}

/** No audience is that of the API itself; a projected token without one is for it too. */
function restrictAudience(
  write: NodeWrite,
  { audiences, pod }: { readonly audiences: readonly string[]; readonly pod: Pod },
): void {
  if (audiences.length > 1) throw refusal(write, "node may only request 0 or 1 audiences");
  const [audience = ""] = audiences;
  const mounted = list(pod.spec.volumes)
    .flatMap(({ projected }) => list(projected?.sources))
    .flatMap(({ serviceAccountToken }) => serviceAccountToken ?? []);
  if (mounted.some((token) => text(token.audience) === audience)) return;
  throw refusal(
    write,
    `${write.request.user.name} is not authorized to request tokens for audience ${goQuote(audience)}`,
  );
}
