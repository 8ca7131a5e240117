/** Serves the workflow, with a desk where people take its decisions: npm start */
import { mkdir, readFile } from 'node:fs/promises';
import { compile, createHost, lowdbStore, understudyPorts } from 'dramaturg';
import { serveHost } from 'dramaturg/service';
import * as agents from './agents.js';

const fileName = '__definition__';
const read = (name) => readFile(new URL(name, import.meta.url), 'utf8');
const definition = compile(await read(fileName), { fileName });
const store = 'data/instances';
const workOf = new Map(Object.entries(agents));

await mkdir('data', { recursive: true });
const host = await createHost({
  // Every step is stored, so runs survive the end of this process.
  store: lowdbStore(store),
  definitions: { __name__: definition },
  ports: {
    ...understudyPorts(),
    async runAgent({ agent, input }) {
      const work = workOf.get(agent);
      if (!work) throw new Error(`agents.js has no agent ${agent}.`);
      return { result: await work(input) };
    },
  },
});
const service = await serveHost(host, {
  http: `127.0.0.1:${process.env.PORT ?? 8080}`,
  store,
  desk: true,
});
const { id } = await host.start('__name__', {
  input: { input: JSON.parse(await read('input.json')) },
});
console.log(`desk  ${service.url}/desk\nrun   ${id}`);

async function stop() {
  service.close();
  await host.stop();
  await service.end();
}
process.once('SIGINT', () => void stop());
process.once('SIGTERM', () => void stop());
