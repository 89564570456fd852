// An admin of a `driftless up` with connections that are kept, and one Deployment to look at.

import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { text as consumeText } from "node:stream/consumers";
import type { Deployment } from "../../src/api/types.ts";
import { jsonLines } from "../../src/client/json-lines.ts";
import { readCredentials } from "../../test/support/driftless-server.ts";
import type { DriftlessUp } from "../../test/up/driftless-up.ts";

export class UpClient implements Disposable {
  readonly #url: string;
  readonly #agent: Agent;

  constructor({ url, directory }: DriftlessUp) {
    this.#url = url;
    this.#agent = new Agent({ ...readCredentials(directory.kubeconfig), keepAlive: true });
  }

  async ask<T>(method: string, path: string, body?: object): Promise<T> {
    const answer = await this.#send(method, path, body);
    const text = await consumeText(answer);
    if ((answer.statusCode ?? 500) >= 300) throw new Error(`${method} ${path}: ${text}`);
    return JSON.parse(text) as T;
  }

  /** Follows a Deployment until it looks right; the moment (performance.now) at which it was heard of. */
  async untilDeployment(name: string, isRight: (it: Deployment) => boolean): Promise<number> {
    const path = "/apis/apps/v1/namespaces/default/deployments";
    const query = `fieldSelector=metadata.name%3D${name}&watch=true&timeoutSeconds=3600`;
    const stream = await this.#send("GET", `${path}?${query}`);
    for await (const line of jsonLines(stream)) {
      const { object } = line as object as { readonly object: Deployment };
      // The stream goes with the loop.
      if (isRight(object)) return performance.now();
    }
    throw new Error(`the watch of ${name} has ended`);
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }

  async #send(method: string, path: string, body?: object): Promise<IncomingMessage> {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const headers = { "content-type": type };
    const sent = request(`${this.#url}${path}`, { method, headers, agent: this.#agent });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    return answer;
  }
}
