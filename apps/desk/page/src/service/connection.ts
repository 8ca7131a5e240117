import type { Requests } from '@dramaturg/service/client';
import { askHost, HostRequestError, type Query, queryText } from '@dramaturg/react';

/** Sends requests with the token of the operator. */
export class Connection {
  readonly #token: string | undefined;
  readonly #onUnauthorised: () => void;

  /** @param onUnauthorised called when the service no longer accepts the token */
  constructor(token: string | undefined, onUnauthorised: () => void) {
    this.#token = token;
    this.#onUnauthorised = onUnauthorised;
  }

  get hasToken(): boolean {
    return this.#token !== undefined;
  }

  /**
   * Carries out an operation of the service.
   *
   * @param id the id in the path; empty if the path has none
   * @throws HostRequestError
   */
  async call<Route extends keyof Requests>(
    route: Route,
    id: string,
    input: Requests[Route]['input'],
    signal?: AbortSignal,
  ): Promise<Requests[Route]['body']> {
    const [method, pattern] = route.split(' ') as [string, string];
    const path = pattern.replace(':id', () => encodeURIComponent(id));
    const response =
      method === 'GET'
        ? await this.send(path + queryText(input as Query), signal ? { signal } : {})
        : await this.send(path, {
            method,
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(input),
          });
    return response.json() as Promise<Requests[Route]['body']>;
  }

  /** @throws HostRequestError */
  async send(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (this.#token !== undefined) headers.set('authorization', `Bearer ${this.#token}`);
    try {
      return await askHost('', path, { ...init, headers, credentials: 'omit' });
    } catch (error) {
      if (error instanceof HostRequestError && error.status === 401) this.#onUnauthorised();
      throw error;
    }
  }
}
