import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runCommand, UsageError } from '@dramaturg/test-servers';
import { storeFolder } from '../host/stores.ts';
import { clearProgress, showProgress } from '../measure.ts';
import { runKills } from './kill-run.ts';
import { runLoad } from './load-run.ts';
import { killGoals, loadGoals, printed } from './report.ts';
import { ServedProcess } from './served-process.ts';

const help = `Measures a service over HTTP: a host on sqlite in one process, its contacts and streams in another.

Usage: npm run load -- [options]
       npm run load -- --kills 100 [options]

  --contacts  contacts that write; 1000, with --kills 10
  --think     mean milliseconds from an acknowledgement to the next message; 10000, with --kills 200
  --seconds   duration of each part: contacts that write, then streams that are open (60)
  --streams   open streams of all events (1000)
  --rate      messages a second while the streams are open (5)
  --kills     kills the service so often in the middle of its streams, and starts it again
  --seed      of pauses (1)
  --json      print the result as JSON
  --help      show this text

Exit codes: 0 if every goal is met; 1 if one is missed; 2 if the arguments are wrong.

Examples:
  npm run load
  npm run load -- --contacts 200 --streams 100 --seconds 20
  npm run load -- --kills 100 --json
`;

await runCommand(main, '--help lists all options.');

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      contacts: { type: 'string' },
      think: { type: 'string' },
      seconds: { type: 'string', default: '60' },
      streams: { type: 'string', default: '1000' },
      rate: { type: 'string', default: '5' },
      kills: { type: 'string' },
      seed: { type: 'string', default: '1' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  const seed = positive('seed', values.seed);
  const kills = values.kills === undefined ? undefined : positive('kills', values.kills);
  const contacts = positive('contacts', values.contacts ?? (kills === undefined ? '1000' : '10'));
  const thinkMs = positive('think', values.think ?? (kills === undefined ? '10000' : '200'));
  const load = {
    seconds: positive('seconds', values.seconds),
    streams: positive('streams', values.streams),
    rate: positive('rate', values.rate),
  };
  const service = await ServedProcess.started(join(storeFolder('load'), 'store.db'));
  try {
    const options = { contacts, thinkMs, seed };
    const [result, goals] =
      kills === undefined
        ? await runLoad(service, { ...options, ...load }, showProgress).then(
            (done) => [done, loadGoals(done)] as const,
          )
        : await runKills(service, { ...options, kills }, showProgress).then(
            (done) => [done, killGoals(done)] as const,
          );
    clearProgress();
    console.log(
      values.json ? JSON.stringify({ ...result, seed, goals }, undefined, 2) : printed(goals),
    );
    return goals.every(({ holds }) => holds) ? 0 : 1;
  } finally {
    await service.kill();
  }
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (value > 0 && Number.isFinite(value)) return value;
  throw new UsageError(`--${name} needs a number above 0, not ${JSON.stringify(text)}.`);
}
