import { setTimeout as pause } from 'node:timers/promises';
import { visible } from '@dramaturg/compiler/text';
import { StoreError } from '@dramaturg/host';
import {
  type Connection,
  readOperations,
  serviceClient,
  socketConnection,
  urlConnection,
} from '@dramaturg/service/client';
import { readStore } from '../../../host.ts';
import { hostedFile } from '../../../service/local-host.ts';
import { loadRestate } from '../../optional-packages.ts';
import { outputTo } from '../../output.ts';
import { exitCodes, UsageError } from '../../usage-error.ts';
import { restateAt, wordsFor } from '../restate/location.ts';
import { explainFailures } from './explain-error.ts';
import type { Gateway, LocalGateway, ReadingGateway, ServedGateway } from './gateway.ts';
import { type HostSettings, openHost } from './open-host.ts';
import { contactForms } from './provider-channels.ts';
import { connectTo, isServed } from './socket.ts';
import { attachmentsOf, memoryOwnerOf } from './store-data.ts';
import { placeOf, requireStore, serviceAt, storeAt } from './store-folder.ts';

/** The name under which a command owns a store. Such owners release the store soon, or open their socket soon. */
export function ownerName(command: string): string {
  return `dramaturg ${command}`;
}

/** How long to wait for another command to release the store. */
const ownershipTimeoutMs = 5_000;

/**
 * Opens a store again and again while another command has it for a moment.
 *
 * @param isBrief whether the owner that the message of `store/owned` names releases the store soon
 */
export async function whenReleased<Opened>(
  open: () => Promise<Opened>,
  isBrief: (message: string) => boolean,
  { withinMs, pauseMs } = { withinMs: ownershipTimeoutMs, pauseMs: 50 },
): Promise<Opened> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    try {
      return await open();
    } catch (error) {
      const isOwned = error instanceof StoreError && error.code === 'store/owned';
      if (!isOwned || !isBrief(error.message) || Date.now() >= deadline) throw error;
      await pause(pauseMs);
    }
  }
}

/** Opens a store as its owner, once another command has released it. */
export function openWhenReleased(settings: HostSettings): Promise<LocalGateway> {
  const byService = `in use by "${ownerName('serve')}"`;
  return whenReleased(
    () => openHost(settings),
    (message) => isOfCommand(message) && !message.includes(byService),
  );
}

function isOfCommand(message: string): boolean {
  return message.includes(`in use by "${ownerName('')}`);
}

/** Opens the gateway of the running host, else of a host in this process. */
export function openGateway(settings: HostSettings): Promise<Gateway> {
  return openOrServed(settings.folder, () => openHost(settings), settings.contactChannel);
}

/**
 * Opens a store for reading. Without a running host, no instance continues.
 *
 * @param channel the channel that defines the form of the command's contact
 */
export async function openReading(folder: string, channel?: string): Promise<ReadingGateway> {
  await requireStore(folder);
  const open = async (): Promise<ReadingGateway> => {
    const { memoriesOf } = memoryOwnerOf(folder);
    const reader = await readStore(await storeAt(folder, { readWhileOwned: true }), {
      memoriesOf,
      attachments: attachmentsOf(folder),
      channels: await contactForms(channel),
    });
    return {
      ...readOperations({ host: reader, compile: hostedFile }),
      isServed: false,
      close: () => reader.stop(),
    };
  };
  return openOrServed<ReadingGateway>(folder, open, channel);
}

/** The gateway of a host in another process, through the socket of its store or the URL of its service. */
function clientGateway(connection: Connection): ServedGateway {
  const client = serviceClient(connection);
  return {
    ...client,
    isServed: true,
    follow: client.events,
    settle: () => Promise.resolve(undefined),
    close: () => Promise.resolve(),
  };
}

/** @returns undefined when no host listens on the socket of the store. On Restate, handlers are asked when a call needs them. */
export async function runningHost(
  folder: string,
  channel?: string,
): Promise<ServedGateway | undefined> {
  const location = restateAt(folder);
  if (location)
    return (await loadRestate(() => import('../restate/restate-gateway.ts'))).restateGateway(
      location,
      channel,
    );
  const service = serviceAt(folder);
  if (service) return clientGateway(urlConnection(service.url, service.token));
  if (!(await isServed(folder))) return undefined;
  return clientGateway(socketConnection('The host of the store', () => connectTo(folder)));
}

/** The running host of a store, else the result of `openHere` in this process. Waits for other commands. */
export async function openOrServed<Opened>(
  folder: string,
  openHere: () => Promise<Opened>,
  channel?: string,
): Promise<Opened | ServedGateway> {
  const deadline = Date.now() + ownershipTimeoutMs;
  for (;;) {
    const client = await runningHost(folder, channel);
    if (client) return client;
    try {
      return await withOpeningNotice(folder, openHere());
    } catch (error) {
      if (!(error instanceof StoreError && error.code === 'store/owned')) throw error;
      const elsewhere = await announcedHost(folder);
      if (elsewhere) return elsewhere;
      // Another command owns the store for a moment, or is about to listen.
      const isOurs = isOfCommand(error.message);
      if (isOurs && Date.now() < deadline) await pause(50);
      else throw inUse(error, folder, isOurs);
    }
  }
}

/** The service of a host on another machine, at the URL that the host has announced in the store. */
async function announcedHost(folder: string): Promise<ServedGateway | undefined> {
  if (placeOf(folder).kind !== 'postgres') return undefined;
  const reader = await readStore(await storeAt(folder, { readWhileOwned: true }));
  try {
    const url = await reader.announced();
    const service = url === undefined ? undefined : serviceAt(url);
    return service && clientGateway(urlConnection(service.url, service.token));
  } finally {
    await reader.stop();
  }
}

function inUse({ message }: StoreError, folder: string, isOurs: boolean): UsageError {
  const isAnywhere = placeOf(folder).kind === 'postgres';
  return new UsageError(
    message,
    isAnywhere
      ? 'Name the URL of its service in place of the store, or run the command on its machine, as the same user. A host that is served with --public-url is found by itself. Commands that only read work anywhere.'
      : isOurs
        ? 'That command is starting, stopping or nearly finished: run yours again in a moment.'
        : `That process is a program that embeds a host and has no socket. To use the store "${visible(folder)}", stop it or use its own controls.`,
    exitCodes.storeUnusable,
    'store/owned',
  );
}

/** Milliseconds without output before the notice: a person at a terminal wonders sooner than the reader of a log. */
const quietMs = { terminal: 1_000, log: 5_000 };

/** Prints a notice on standard error while a store is being opened, if that takes long. */
export async function withOpeningNotice<Value>(
  folder: string,
  opening: Promise<Value>,
): Promise<Value> {
  const { isTerminal, write, paint } = outputTo(process.stderr);
  const begun = Date.now();
  let isShown = false;
  const notify = () => {
    const seconds = Math.round((Date.now() - begun) / 1000);
    const text = `Opening the store "${visible(folder)}"`;
    if (isTerminal) write(`\r${paint('dim', `${text} (${seconds} s) ...`)}`);
    else if (!isShown) write(`${text} ...\n`);
    isShown = true;
  };
  const timer = setInterval(notify, isTerminal ? quietMs.terminal : quietMs.log);
  try {
    return await opening;
  } finally {
    clearInterval(timer);
    if (isShown && isTerminal) write('\r\u001B[K');
  }
}

/**
 * Reads something from a store. No instance continues because of the read.
 *
 * @param channel the channel that defines the form of the command's contact
 */
export function readFromStore<Value>(
  folder: string,
  read: (gateway: ReadingGateway) => Promise<Value>,
  channel?: string,
): Promise<Value> {
  return explainFailures(folder, async () => {
    const gateway = await openReading(folder, channel);
    try {
      return await read(gateway);
    } finally {
      await gateway.close();
    }
  });
}

const shortestPrefix = 4;

const unknown = [exitCodes.usage, 'host/unknown-instance'] as const;

/** Finds the id of an instance by the id or its first characters. */
export async function findInstance(
  gateway: ReadingGateway,
  given: string,
  folder: string,
): Promise<string> {
  const name = `"${visible(given)}"`;
  const list = `"dramaturg ps ${wordsFor(folder)} --all" lists the instances.`;
  if (given === '') throw new UsageError('The id is empty.', list);
  const found = await gateway.find({ prefix: given });
  const exact = found.find(({ id }) => id === given);
  if (exact) return exact.id;
  if (given.length < shortestPrefix) {
    throw new UsageError(
      `There is no instance ${name}.`,
      `Write the whole id, or at least its first ${shortestPrefix} characters. ${list}`,
      ...unknown,
    );
  }
  const [only] = found;
  if (!only)
    throw new UsageError(`There is no instance whose id begins with ${name}.`, list, ...unknown);
  // The id of a child begins with that of its parent.
  const parent = found.find(({ id }) => found.every((each) => `${each.id}.`.startsWith(`${id}.`)));
  if (parent) return parent.id;
  const ids = found.map(({ id }) => visible(id));
  throw new UsageError(
    `The ids of several instances begin with ${name}.`,
    `Write more characters. The ids are: ${ids.slice(0, 5).join(', ')}${ids.length > 5 ? ', ...' : ''}.`,
  );
}
