import { parseArgs } from 'node:util';
import { RestateServer } from '@dramaturg/test-servers';
import { measureTurns, RestatePeer, type RestatePeerName, restatePeers } from './peer.ts';

const help = `Measures turns of hand-written Restate objects: one message, one call that is answered at once, one delivery with receipt.

Usage: npm run bench:restate-peer --workspace apps/bench -- [--seconds <number>] [--json]

Examples:
  npm run bench:restate-peer --workspace apps/bench
  npm run bench:restate-peer --workspace apps/bench -- --seconds 30 --json
`;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    json: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  },
});

if (values.help) console.log(help);
else await measureAll(Number(values.seconds) * 1000);

async function measureAll(forMs: number): Promise<void> {
  const rows: object[] = [];
  for (const which of Object.keys(restatePeers) as RestatePeerName[]) {
    const server = await RestateServer.start();
    const peer = await RestatePeer.start(server, which);
    try {
      for (const inFlight of [1, 32, 256]) {
        const turns = await measureTurns((contact) => peer.turn(contact), inFlight, forMs);
        rows.push({ object: which, inFlight, ...rounded(turns) });
        if (!values.json) console.log(rows.at(-1));
      }
    } finally {
      await server.stop();
      await peer.close();
    }
  }
  if (values.json) console.log(JSON.stringify(rows, undefined, 2));
}

function rounded(readings: object): object {
  return Object.fromEntries(
    Object.entries(readings).map(([name, value]) => [
      name,
      Number((value as number).toPrecision(3)),
    ]),
  );
}
