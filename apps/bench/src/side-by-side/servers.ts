import { chmodSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  PostgresServer,
  RestateServer,
  whyNoPostgres,
  whyNoRestate,
} from '@dramaturg/test-servers';
import { storeFolder } from '../host/stores.ts';
import { PeerError } from '../peers.ts';

/** The servers that contenders can need. */
export type ServerKind = 'none' | 'postgres' | 'restate';

/** The addresses that one contender gets. */
export type Addresses = () => {
  readonly postgres: string;
  readonly ingress: string;
  readonly admin: string;
};

const nothing = { postgres: '', ingress: '', admin: '' };

/**
 * Starts a server that all contenders of a group share, with the durability of production, on the disk of the stores. It ends
 * with this process.
 *
 * @throws PeerError when the server is missing
 */
export async function startServer(kind: ServerKind): Promise<Addresses> {
  switch (kind) {
    case 'none':
      return () => nothing;
    case 'postgres': {
      needs(whyNoPostgres());
      const server = await PostgresServer.start({ folder: serverFolder('side-by-side-postgres') });
      return () => ({ ...nothing, postgres: server.createDatabase().url });
    }
    case 'restate': {
      needs(whyNoRestate());
      const server = await RestateServer.start({ folder: storeFolder('side-by-side-restate') });
      return () => ({ ...nothing, ingress: server.ingress, admin: server.admin });
    }
  }
}

/** Creates a folder on the disk of the stores that a server can use. It is removed when this process ends. */
function serverFolder(name: string): string {
  const folder = storeFolder(name);
  // Postgres runs as its own user, which needs access to its folder.
  chmodSync(dirname(folder), 0o711);
  return folder;
}

function needs(whyMissing: string | undefined): void {
  if (whyMissing !== undefined) throw new PeerError(whyMissing);
}
