import { type Connection, ServiceClient } from '@dramaturg/service/client';
import type { ServedGateway } from './gateway.ts';

/** The gateway of a host in another process, through the socket of its store or the URL of its service. */
export class ClientGateway extends ServiceClient implements ServedGateway {
  readonly isServed = true;
  readonly follow: ServedGateway['follow'];

  constructor(connection: Connection) {
    super(connection);
    this.follow = (filter) => this.events(filter);
  }

  readonly settle = () => Promise.resolve(undefined);
  readonly close = () => Promise.resolve();
}
