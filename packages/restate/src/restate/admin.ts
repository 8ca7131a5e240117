import { badRequest } from '@dramaturg/host/engine';
import { DramaturgError } from '@dramaturg/compiler';
import { HostError } from '@dramaturg/host';

/** How long temporary failures of Restate are retried, and the pause before a retry, in milliseconds. */
const failedWaitMs = 10_000;
const failedPauseMs = 50;

/** Registers deployments, and queries the state of Restate. */
export class Admin {
  readonly #url: string;

  /** @param url such as `http://localhost:9070` */
  constructor(url: string) {
    this.#url = url.replace(/\/+$/, '');
  }

  /**
   * Registers the handlers at a URL. Registering the same URL again replaces its registration. Restate registers deployments one
   * by one, and fails when too many processes register at the same time: then the call is repeated.
   *
   * @throws HostError `host/bad-request` with the reason that Restate gives
   */
  async register(uri: string): Promise<void> {
    await repeated(
      () => this.#post('deployments', { uri, force: true }, `registering the handlers at ${uri}`),
      (error) => error instanceof HostError && error.message.includes("'schema_registry'"),
    );
  }

  /**
   * Queries the SQL introspection. Temporary failures are retried, such as a partition without a leader after the start of a
   * server.
   *
   * @throws HostError `host/bad-request` with the reason that Restate gives; `RestateFailedError` when it keeps failing
   */
  async query<Row>(sql: string): Promise<readonly Row[]> {
    return repeated(
      async () => {
        const response = await this.#post('query', { query: sql }, 'asking Restate');
        return rowsIn(await response.text(), this.#url) as readonly Row[];
      },
      (error) =>
        error instanceof RestateFailedError ||
        (error instanceof HostError && error.message.includes('partition')),
    );
  }

  /** Ends an invocation, even a running one. An ended invocation is ignored. */
  async kill(invocation: string): Promise<void> {
    await fetch(`${this.#url}/invocations/${encodeURIComponent(invocation)}/kill`, {
      method: 'PATCH',
    });
  }

  async #post(path: string, body: object, doing: string): Promise<Response> {
    const response = await fetch(`${this.#url}/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(body),
    });
    if (response.ok) return response;
    const reason = (await response.text()).slice(0, 500);
    if (response.status >= 500 && path === 'query')
      throw new RestateFailedError(`Restate failed ${doing}: ${reason}`);
    throw badRequest(`Restate refused ${doing}: ${reason}`);
  }
}

/** Repeats work while it fails temporarily. */
async function repeated<Value>(
  call: () => Promise<Value>,
  mayPass: (error: unknown) => boolean,
): Promise<Value> {
  for (const end = performance.now() + failedWaitMs; ;) {
    try {
      return await call();
    } catch (error) {
      if (!mayPass(error) || performance.now() > end) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, failedPauseMs));
  }
}

/** @throws HostError `host/bad-request` when a program other than Restate has answered */
function rowsIn(text: string, url: string): readonly unknown[] {
  try {
    const { rows } = JSON.parse(text) as { readonly rows?: readonly unknown[] };
    if (Array.isArray(rows)) return rows;
  } catch {
    // The answer is not JSON.
  }
  throw badRequest(`${url} does not answer as a Restate server does.`);
}

/** Quotes a string for a query. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Restate could not answer a query (status 500 and above). The same query may succeed later. */
class RestateFailedError extends DramaturgError<'restate/failed'> {
  override readonly name = 'RestateFailedError';

  constructor(message: string) {
    super('restate/failed', message);
  }
}
