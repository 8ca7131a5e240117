import { type Connection, ServiceClient } from '@dramaturg/service/client';
import type { ServedDesk } from './desk.ts';

/** The desk of a host in another process, through the socket of its store or the URL of its service. */
export class ClientDesk extends ServiceClient implements ServedDesk {
  readonly isServed = true;
  readonly follow: ServedDesk['follow'];

  constructor(connection: Connection) {
    super(connection);
    this.follow = (filter) => this.events(filter);
  }

  readonly settle = () => Promise.resolve(undefined);
  readonly close = () => Promise.resolve();
}
