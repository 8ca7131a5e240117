import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Systems assign higher ports to connections and servers that ask for any port, so a higher port is soon reused. */
const ports = { from: 20_000, to: 32_000 };

/** A TCP port of the loopback interface that was free a moment ago, and that a server can use again after its end. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const port = randomInt(ports.from, ports.to);
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(freePort());
      else reject(error);
    });
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(port)));
  });
}
