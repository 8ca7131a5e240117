/** Serves a web chat: `node serving-process.ts <store> <port>`. A test kills it. The fifth word of a reply comes late. */
import { setTimeout as pause } from 'node:timers/promises';
import { webChannel } from '@dramaturg/channel-web';
import { createHost, sqliteStore, understudyPorts } from 'dramaturg';
import { serveHost } from 'dramaturg/service';
import { intake } from './intake.ts';
import { secret } from './secrets.ts';

const [store, port] = process.argv.slice(2) as [string, string];
const channels = { web: webChannel({ secret }) };
const host = await createHost({
  store: sqliteStore(store),
  definitions: { intake: await intake() },
  ports: {
    ...understudyPorts(),
    reply: async (_, call) => {
      const text = 'This reply is made slowly, word by word, so that it can be interrupted.';
      for (const word of text.split(/(?<= )/)) {
        call.onText(word);
        await pause(250, undefined, { signal: call.signal });
      }
      return { text };
    },
  },
  channels,
});
const service = await serveHost(host, {
  http: `127.0.0.1:${port}`,
  channels,
  orStart: { definition: 'intake' },
});
process.stdout.write(`${service.url}\n`);
