import type { Host } from 'dramaturg';
import { sqliteStore } from '@dramaturg/host';
import { serveHost } from 'dramaturg/service';
import { Stage } from '../host/stage.ts';

/** A service in its own process: a host on sqlite whose agent answers at once. Arguments: the store and the port. */
const [store = '', port = ''] = process.argv.slice(2);

const { host } = await Stage.open(sqliteStore(store, { fsync: 'always' }));
const service = await serveHost(host as unknown as Host, { http: `127.0.0.1:${port}` });

process.on('message', (what: 'resident' | 'live') => {
  if (what === 'live') global.gc!();
  const { rss, heapUsed, external } = process.memoryUsage();
  process.send!(what === 'live' ? heapUsed + external : rss);
});
// The program that started it has ended.
process.on('disconnect', () => process.exit());
process.on('SIGTERM', () => {
  service.close();
  void host.stop({ within: 5_000 }).then(() => process.exit());
});
process.send!('ready');
