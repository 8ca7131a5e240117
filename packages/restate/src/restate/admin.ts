import { DramaturgError } from '@dramaturg/compiler';
import { HostError } from '@dramaturg/host';

/** How long Restate may fail for a reason that passes, and the pause before it is asked again, in milliseconds. */
const failedWaitMs = 10_000;
const failedPauseMs = 50;

/** Registers deployments, and asks Restate about its own state. */
export class Admin {
  readonly #url: string;

  /** @param url such as `http://localhost:9070` */
  constructor(url: string) {
    this.#url = url.replace(/\/+$/, '');
  }

  /**
   * Registers the handlers at a URL. Registering the same URL again replaces what was registered there. Restate registers one
   * deployment after another, and gives up when too many processes register at the same time: then it is asked again.
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
   * Asks the SQL introspection. What passes is waited for, such as a partition without a leader after the start of a server.
   *
   * @throws HostError `host/bad-request` with the reason that Restate gives; `RestateFailedError` when it goes on failing
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

  /** Ends an invocation, also one that is running. One that has ended already is left alone. */
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
    throw new HostError('host/bad-request', `Restate refused ${doing}: ${reason}`);
  }
}

/** Calls again while it fails for a reason that may pass. */
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

/** @throws HostError `host/bad-request` when another program than Restate has answered */
function rowsIn(text: string, url: string): readonly unknown[] {
  try {
    const { rows } = JSON.parse(text) as { readonly rows?: readonly unknown[] };
    if (Array.isArray(rows)) return rows;
  } catch {
    // It is not JSON.
  }
  throw new HostError('host/bad-request', `${url} does not answer as a Restate server does.`);
}

/** A text of a query. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Restate could not answer a query (status 500 and above). The same one may be answered later. */
class RestateFailedError extends DramaturgError<'restate/failed'> {
  override readonly name = 'RestateFailedError';

  constructor(message: string) {
    super('restate/failed', message);
  }
}
