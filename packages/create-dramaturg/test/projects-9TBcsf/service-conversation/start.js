/** Serves the conversation, with a chat for people and a desk for operators: npm start */
import { mkdir, readFile } from 'node:fs/promises';
import { webChannel } from '@dramaturg/channel-web';
import { compile, createHost, lowdbStore } from 'dramaturg';
import { serveHost } from 'dramaturg/service';
import { ports } from './ports.js';

const fileName = 'appointment.plan.yaml';
const text = await readFile(new URL(fileName, import.meta.url), 'utf8');
const definition = compile(text, { fileName });
const store = 'data/instances';

await mkdir('data', { recursive: true });
const channels = { web: webChannel({ greet: true }) };
const host = await createHost({
  // Every step is stored, so conversations survive the end of this process.
  store: lowdbStore(store),
  definitions: { appointment: definition },
  ports,
  channels,
});
const service = await serveHost(host, {
  http: `127.0.0.1:${process.env.PORT ?? 8080}`,
  store,
  channels,
  orStart: { definition: 'appointment' },
  desk: true,
});
console.log(`chat  ${service.url}/channels/web/\ndesk  ${service.url}/desk`);

async function stop() {
  service.close();
  await host.stop();
  await service.end();
}
process.once('SIGINT', () => void stop());
process.once('SIGTERM', () => void stop());
