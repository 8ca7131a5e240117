import {
  createHost,
  type Host,
  type HostOptions,
  lowdbStore,
  sqliteStore,
  type StoreLocation,
} from 'dramaturg';

/** Where the instances are that a process goes on with. */
export type TracedPlace =
  | { readonly kind: 'lowdb'; readonly path: string }
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string }
  | {
      readonly kind: 'restate';
      readonly ingress: string;
      readonly admin: string;
      readonly namespace: string;
      readonly port: number;
    };

export async function openHost(
  place: TracedPlace,
  options: Omit<HostOptions, 'store'>,
): Promise<Host> {
  if (place.kind !== 'restate') return createHost({ ...options, store: await storeOf(place) });
  // What a process does not need makes its start slower.
  const { restateHost } = await import('dramaturg/restate');
  const { kind: _, port, ...restate } = place;
  return restateHost({ ...options, ...restate, handlers: { port } });
}

async function storeOf(
  place: Exclude<TracedPlace, { readonly kind: 'restate' }>,
): Promise<StoreLocation> {
  if (place.kind === 'lowdb') return lowdbStore(place.path);
  if (place.kind === 'sqlite') return sqliteStore(`${place.path}.db`);
  const { postgresStore } = await import('@dramaturg/postgres');
  // The lease of a killed process has to expire.
  return postgresStore(place.url, { standby: true });
}
