import { appendFileSync } from 'node:fs';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { compile, createHost, lowdbStore, sqliteStore } from 'dramaturg';
import { positionFile, traceHost } from '../src/index.ts';

/** What the process that is killed is given. */
export interface Mission {
  readonly folder: string;
  readonly store: 'lowdb' | 'sqlite';
  /** The URL of the collector. */
  readonly collector: string;
  readonly run: number;
}

/** The process that is killed: a host with its traces. It starts workflows until it is killed. */
const mission = JSON.parse(process.argv[2]!) as Mission;
const path = `${mission.folder}/store`;

const child = compile(
  JSON.stringify({ StartAt: 'C', States: { C: { Type: 'Task', Agent: 'echo', End: true } } }),
  { fileName: 'child.asl.json' },
);
const parent = compile(
  JSON.stringify({
    StartAt: 'A',
    States: {
      A: { Type: 'Task', Agent: 'echo', Next: 'B' },
      B: { Type: 'Task', Agent: 'workflow:child', Next: 'C' },
      C: { Type: 'Task', Agent: 'echo', End: true },
    },
  }),
  { fileName: 'parent.asl.json' },
);

const host = await createHost({
  store: mission.store === 'lowdb' ? lowdbStore(path) : sqliteStore(`${path}.db`),
  definitions: { child, parent },
  ports: { runAgent: () => ({ result: 'fine' }) },
  onError: () => {},
});
const tracing = await traceHost(host, {
  exporter: new OTLPTraceExporter({ url: `${mission.collector}/v1/traces` }),
  position: positionFile(`${mission.folder}/position.json`),
  fromBeginning: true,
  batch: { everyMs: 5, spans: 20 },
  onError: ({ message }) => appendFileSync(`${mission.folder}/errors.txt`, `${message}\n`),
});
process.send!('ready');
process.once('message', () => {
  void (async () => {
    const isDone = await host.settle({ within: 600_000 });
    if (!isDone || !(await tracing.flush({ within: 600_000 })))
      throw new Error('The last process was not given enough time.');
    await tracing.stop();
    await host.stop();
    process.disconnect();
  })();
});
process.once('disconnect', () => process.exit());
for (let count = 0; process.connected && !process.argv[3]; count += 1) {
  await host.start('parent', { id: `r${mission.run}-${count}` }).catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 5));
}
