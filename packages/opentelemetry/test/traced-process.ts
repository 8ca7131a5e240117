import { appendFileSync } from 'node:fs';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { compile } from 'dramaturg';
import { positionFile, traceHost } from '../src/index.ts';
import { openHost, type TracedPlace } from './traced-place.ts';

/** What the process that is killed is given. */
export interface Mission {
  readonly folder: string;
  readonly place: TracedPlace;
  /** The URL of the collector. */
  readonly collector: string;
  readonly run: number;
}

/** The process that is killed: a host with its traces. It starts workflows until it is killed. */
const mission = JSON.parse(process.argv[2]!) as Mission;

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

const host = await openHost(mission.place, {
  definitions: { child, parent },
  ports: { runAgent: () => ({ result: 'fine' }) },
  onError: () => {},
});
const tracing = await traceHost(host, {
  exporter: new OTLPTraceExporter({ url: `${mission.collector}/v1/traces` }),
  position:
    'path' in mission.place
      ? positionFile(`${mission.folder}/position.json`)
      : host.readerPosition('traces'),
  fromBeginning: true,
  batch: { everyMs: 5, spans: 20 },
  onError: ({ message }) => appendFileSync(`${mission.folder}/errors.txt`, `${message}\n`),
});
process.send!('ready');
process.once('message', () => {
  void (async () => {
    const isDone = await host.settle({ within: 300_000 });
    if (!isDone || !(await tracing.flush({ within: 300_000 })))
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
