import { benchHost } from './host.ts';

/** A process that serves handlers, and sends its parent the contact of each message that was delivered. */
const [ingress, admin, port] = process.argv.slice(2) as [string, string, string];
const host = await benchHost({ ingress, admin, handlers: { port: Number(port), reusePort: true } });
process.send!('ready');
for await (const { instance } of host.events({ types: ['message.delivered'] }))
  process.send!({ instance });
