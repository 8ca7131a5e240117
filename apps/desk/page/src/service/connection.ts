import { wording } from '../wording.ts';
import { type Problem, ServiceError } from './service-error.ts';

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** Sends requests with the token of the operator. */
export class Connection {
  readonly #token: string | undefined;
  readonly #onUnauthorised: () => void;

  /** @param onUnauthorised called when the service does not know the token any more */
  constructor(token: string | undefined, onUnauthorised: () => void) {
    this.#token = token;
    this.#onUnauthorised = onUnauthorised;
  }

  get hasToken(): boolean {
    return this.#token !== undefined;
  }

  /** @throws ServiceError */
  async get<Answer>(path: string, query: Query = {}, signal?: AbortSignal): Promise<Answer> {
    const response = await this.send(path + queryText(query), signal ? { signal } : {});
    return response.json() as Promise<Answer>;
  }

  /** @throws ServiceError */
  async post<Answer>(path: string, body: object = {}): Promise<Answer> {
    const response = await this.send(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return response.json() as Promise<Answer>;
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
    // A proxy has answered, not the service.
  }
  return { detail: wording.problems.status(response.status), code: 'connection/answer' };
}
