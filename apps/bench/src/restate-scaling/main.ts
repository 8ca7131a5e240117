import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort, RestateServer } from '@dramaturg/test-servers';
import { messageText } from '../host/stage.ts';
import { contactsOf, measureTurns } from '../restate-peer/peer.ts';
import { benchHost } from './host.ts';

const help = `Measures turns of a host on Restate with 1, 2 and 4 handler processes on one server, and what uses the processor.

Usage: npm run bench:restate-scaling --workspace apps/bench -- [--seconds <number>] [--in-flight <number>]

Examples:
  npm run bench:restate-scaling --workspace apps/bench
  npm run bench:restate-scaling --workspace apps/bench -- --seconds 30 --in-flight 256
`;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '6' },
    'in-flight': { type: 'string', default: '64' },
    help: { type: 'boolean', short: 'h' },
  },
});

if (values.help) console.log(help);
else
  for (const count of [1, 2, 4])
    console.log(JSON.stringify(await measureWith(count, Number(values['in-flight']))));

async function measureWith(count: number, inFlight: number): Promise<object> {
  const server = await RestateServer.start();
  const port = await freePort();
  const receipts = new Map<string, () => void>();
  const handlers: ChildProcess[] = [];
  try {
    for (let each = 0; each < count; each += 1)
      handlers.push(await handlerOf(server, port, (id) => receipts.get(id)?.()));
    const { ingress, admin } = server;
    const host = await benchHost({ ingress, admin, handlers: false });
    const receiptOf = (id: string) =>
      new Promise<void>((resolve) => {
        receipts.set(id, resolve);
      });
    for (const id of contactsOf(inFlight)) {
      const greeted = receiptOf(id);
      await host.start('chat', { id, contact: id });
      await greeted;
    }
    let turns = 0;
    const processes = { server: server.process.pid, handlers: handlers.map(({ pid }) => pid!) };
    const before = usedBy(processes);
    const reading = await measureTurns(
      async (id) => {
        turns += 1;
        const answered = receiptOf(id);
        const message = { type: 'message.received', id: `m-${turns}`, text: messageText(turns) };
        await host.send(id, message);
        await answered;
      },
      inFlight,
      Number(values.seconds) * 1000,
    );
    const after = usedBy(processes);
    const perTurn = (name: keyof typeof after) => rounded((after[name] - before[name]) / turns);
    return {
      handlers: count,
      perSecond: rounded(reading.perSecond),
      p50: rounded(reading.p50),
      p99: rounded(reading.p99),
      processorMsPerTurn: {
        server: perTurn('server'),
        handlers: perTurn('handlers'),
        caller: perTurn('caller'),
      },
    };
  } finally {
    for (const each of handlers) each.kill('SIGKILL');
    await server.stop();
  }
}

async function handlerOf(
  { ingress, admin }: RestateServer,
  port: number,
  onReceipt: (instance: string) => void,
): Promise<ChildProcess> {
  const child = fork(join(import.meta.dirname, 'handler.ts'), [ingress, admin, String(port)]);
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve());
    child.once('exit', () => reject(new Error('A handler process has not started.')));
  });
  child.on('message', ({ instance }: { readonly instance: string }) => onReceipt(instance));
  return child;
}

/** The processor time used, in milliseconds. */
function usedBy({ server, handlers }: { readonly server: number; readonly handlers: number[] }) {
  const { user, system } = process.cpuUsage();
  return {
    server: processorMs(server),
    handlers: handlers.reduce((sum, pid) => sum + processorMs(pid), 0),
    caller: (user + system) / 1000,
  };
}

/** Linux counts in hundredths of a second. Other systems have no such file. */
function processorMs(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return NaN;
  }
}

function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
