// Whether nobody is left to answer. The two kinds of response say it in different places.

import type { HttpResponse } from "./answer.ts";

export function isGone(response: HttpResponse): boolean {
  const { stream } = response as { readonly stream?: { readonly destroyed: boolean } };
  return response.destroyed || stream?.destroyed === true;
}
