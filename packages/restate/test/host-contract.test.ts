import { hostContract } from '@dramaturg/testing';
import { freePort, sharedRestate, whyNoRestate } from '@dramaturg/test-servers';
import { describe } from 'vitest';
import { restateHost } from '../src/index.ts';
import { lifecycles } from './lifecycles.ts';

const reason = whyNoRestate();
let places = 0;
/** The host that is being opened. Restate registers one after another. */
let last: Promise<unknown> = Promise.resolve();

/** Removes the state and the handlers of a place: a registration or a query costs the server as much as all that it knows. */
async function forget(admin: string, namespace: string, port: number): Promise<void> {
  const query = `SELECT DISTINCT service_name, service_key FROM state WHERE service_name LIKE '${namespace}.%'`;
  const { rows } = await answerOf<{ rows: { service_name: string; service_key: string }[] }>(
    `${admin}/query`,
    { query },
  );
  for (const { service_name: service, service_key: key } of rows)
    await fetch(`${admin}/services/${service}/state`, posted({ object_key: key, new_state: {} }));
  const { deployments } = await answerOf<{ deployments: { id: string; uri: string }[] }>(
    `${admin}/deployments`,
  );
  const { id } = deployments.find(({ uri }) => new URL(uri).port === String(port))!;
  await fetch(`${admin}/deployments/${id}?force=true`, { method: 'DELETE' });
}

function posted(body: object): RequestInit {
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  return { method: 'POST', headers, body: JSON.stringify(body) };
}

async function answerOf<Answer>(url: string, body?: object): Promise<Answer> {
  const response = await fetch(url, body && posted(body));
  return (await response.json()) as Answer;
}

describe.skipIf(reason !== undefined)(`a host on Restate${reason ? ` (${reason})` : ''}`, () => {
  hostContract(
    async () => {
      places += 1;
      const namespace = `contract-${process.pid}-${places}`;
      const { ingress, admin } = await sharedRestate();
      // Restate calls the handlers that a stop has interrupted again, at the same address.
      const handlers = { port: await freePort() };
      return {
        open: (options) => {
          const open = () => restateHost({ ...options, ingress, admin, namespace, handlers });
          const opened = last.then(open);
          last = opened.catch(() => {});
          return opened;
        },
        close: async () => {
          last = last.then(() => forget(admin, namespace, handlers.port));
          await last;
        },
      };
    },
    {
      lifecycles,
      concurrent: true,
      skip: [
        {
          reason: 'Restate fires overdue timers of different instances at the same time',
          tests: ['H5: timers that became due while no host ran fire first, in due order'],
        },
        {
          reason: 'the instances of a host on Restate have no common order',
          tests: [
            'the events of all instances come after a cursor, in one order',
            'a contact has a stream of its own, live and after a cursor',
            'a client that begins live goes on after its last cursor',
            'an erased instance leaves the stream of all instances',
            'a slow subscriber of all instances misses nothing',
            'a live stream of all instances gives its events when the host stops',
            'a cursor of another store is refused',
            'reconnects at any cursor give each event once, in the order of its journal',
          ],
        },
        {
          reason: 'instances on Restate keep their version',
          tests: [
            'a migrated instance goes on with the latest version of its definition',
            'a migration is undone as long as nothing else has happened',
            'an instance keeps its version when a new one cannot go on with it',
          ],
        },
        {
          reason: 'Restate gives the calls of different instances to a process at the same time',
          tests: ['calls that wait are made in the order in which their instances have started'],
        },
      ],
    },
  );
});
