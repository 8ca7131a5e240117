import { benchHost } from './host.ts';

/** A process that serves handlers, and sends its parent the instance of each message that it delivers. */
const [ingress, admin, port] = process.argv.slice(2) as [string, string, string];
await benchHost({ ingress, admin, handlers: { port: Number(port), reusePort: true } }, (instance) =>
  process.send!({ instance }),
);
process.send!('ready');
