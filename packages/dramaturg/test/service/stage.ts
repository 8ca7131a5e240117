import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compile, createHost, type HostOptions, sqliteStore, understudyPorts } from 'dramaturg';
import { type ServeHostOptions, serveHost } from 'dramaturg/service';
import { onTestFinished } from 'vitest';

const examples = new URL('../../../../docs/examples/', import.meta.url);

/** A definition of the documentation. */
export async function example(name: string) {
  const fileName = `${name}.json`;
  return compile(await readFile(new URL(fileName, examples), 'utf8'), { fileName });
}

/** The fields that tests read: each answer has some of them. */
interface Body {
  readonly id: string;
  readonly instance: string;
  readonly code: string;
  readonly items: readonly Readonly<Record<string, unknown>>[];
  readonly diagnostics: readonly unknown[];
  readonly errors: readonly { readonly path: string }[];
}

export interface Answered {
  readonly status: number;
  readonly type: string | null;
  readonly body: Body;
  readonly headers: Headers;
}

/** Serves a host until the test ends. */
export async function served(
  options: Partial<ServeHostOptions> = {},
  hostOptions: Partial<HostOptions> = {},
) {
  const folder = await mkdtemp(join(tmpdir(), 'dramaturg-'));
  const store = join(folder, 'data.db');
  const host = await createHost({
    store: sqliteStore(store),
    definitions: {
      intake: await example('customer-intake.plan'),
      order: await example('order.asl'),
    },
    ports: understudyPorts(),
    channels: { main: { deliver: async () => {} } },
    ...hostOptions,
  });
  const service = await serveHost(host, { http: '127.0.0.1:0', store, ...options });
  onTestFinished(async () => {
    await host.stop({ within: 1_000 });
    await rm(folder, { recursive: true, force: true });
  });
  const url = service.url!;
  const ask = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answered> => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const type = response.headers.get('content-type');
    const { status, headers: answered } = response;
    return { status, type, body: (await response.json()) as Body, headers: answered };
  };
  return { host, service, store, url, ask };
}
