import type { Requests } from '@dramaturg/service/client';
import { wording } from '../wording.ts';
import { type Problem, ServiceError } from './service-error.ts';

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

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
   * @throws ServiceError
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

  /** @throws ServiceError */
  async send(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (this.#token !== undefined) headers.set('authorization', `Bearer ${this.#token}`);
    let response: Response;
    try {
      response = await fetch(path, { ...init, headers, credentials: 'omit' });
    } catch (cause) {
      if (init.signal?.aborted) throw cause;
      throw new ServiceError(unreachable(), 0, { cause });
    }
    if (response.ok) return response;
    if (response.status === 401) this.#onUnauthorised();
    throw new ServiceError(await problemIn(response), response.status);
  }
}

export function queryText(query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

function unreachable(): Problem {
  const { unreachable: detail, unreachableHint: hint } = wording.problems;
  return { detail, hint, code: 'connection/lost' };
}

async function problemIn(response: Response): Promise<Problem> {
  try {
    const body = (await response.json()) as Partial<Problem>;
    if (typeof body.detail === 'string' && typeof body.code === 'string') return body as Problem;
  } catch {
    // The answer is from a proxy and not from the service.
  }
  return { detail: wording.problems.status(response.status), code: 'connection/answer' };
}
