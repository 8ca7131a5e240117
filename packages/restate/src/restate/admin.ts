import { HostError } from '@dramaturg/host';

/** Registers deployments, and asks Restate about its own state. */
export class Admin {
  readonly #url: string;

  /** @param url such as `http://localhost:9070` */
  constructor(url: string) {
    this.#url = url.replace(/\/+$/, '');
  }

  /**
   * Registers the handlers at a URL. Registering the same URL again replaces what was registered there.
   *
   * @throws HostError `host/bad-request` with the reason that Restate gives
   */
  async register(uri: string): Promise<void> {
    await this.#post('deployments', { uri, force: true }, `registering the handlers at ${uri}`);
  }

  /**
   * Asks the SQL introspection.
   *
   * @throws HostError `host/bad-request` with the reason that Restate gives
   */
  async query<Row>(sql: string): Promise<readonly Row[]> {
    const response = await this.#post('query', { query: sql }, 'asking Restate');
    return ((await response.json()) as { readonly rows: readonly Row[] }).rows;
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
    throw new HostError('host/bad-request', `Restate refused ${doing}: ${reason}`);
  }
}

/** A text of a query. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
