import { setTimeout as pause } from 'node:timers/promises';
import { visible } from '@dramaturg/compiler';
import { readStore, StoreError } from '@dramaturg/host';
import { statusOf } from '../../files.ts';
import { exitCodes, UsageError } from '../../usage-error.ts';
import { Client } from '../transport/client.ts';
import type { Desk, ReadingDesk } from './desk.ts';
import { findIn } from './find-by-prefix.ts';
import { type HostSettings, openHost } from './open-host.ts';
import { openPlace, requireStore } from './store-folder.ts';
import { whileOpening } from '../print/opening-notice.ts';
import { isServed } from '../transport/socket.ts';

/** The names by which commands own a store: their stay is short, or their socket comes soon. */
export function ownerName(command: string): string {
  return `dramaturg ${command}`;
}

/** Milliseconds to wait for another command to have done with the store. */
const patience = 5_000;

/** The desk of the host that runs, else of one in this process. */
export function openDesk(settings: HostSettings): Promise<Desk> {
  return open(settings.folder, () => openHost(settings));
}

/** Somewhere to look at a store: where no host runs, nothing in it goes on. */
export async function openReading(folder: string, command: string): Promise<ReadingDesk> {
  await requireStore(folder);
  return open<ReadingDesk>(folder, async () => {
    const reader = await readStore(await openPlace(folder, {}), ownerName(command));
    return {
      isServed: false,
      list: (filter, page) => reader.list(filter, page),
      find: (prefix) => findIn(reader, prefix),
      get: (id) => reader.get(id),
      transcript: (id, range) => reader.transcript(id, range),
      journal: (id, range) => reader.journal(id, range),
      charts: (id) => reader.charts(id),
      decisions: (filter, page) => reader.decisions(filter, page),
      decision: (decision) => reader.decision(decision),
      checkpoints: (id) => reader.checkpoints(id),
      damaged: () => reader.damaged(),
      close: () => reader.stop(),
    };
  });
}

/** @returns undefined when no host runs that has a socket */
export async function runningHost(folder: string): Promise<Client | undefined> {
  const exists = (await statusOf(folder))?.isDirectory() === true;
  return exists && (await isServed(folder)) ? new Client(folder) : undefined;
}

async function open<Opened>(
  folder: string,
  openHere: () => Promise<Opened>,
): Promise<Opened | Client> {
  const deadline = Date.now() + patience;
  for (;;) {
    const client = await runningHost(folder);
    if (client) return client;
    try {
      return await whileOpening(folder, openHere());
    } catch (error) {
      if (!(error instanceof StoreError && error.code === 'store/owned')) throw error;
      // One of ours has the store for a moment, or is about to listen.
      const isOurs = error.message.includes(`in use by "${ownerName('')}`);
      if (isOurs && Date.now() < deadline) await pause(50);
      else throw inUse(error, folder, isOurs);
    }
  }
}

function inUse({ message }: StoreError, folder: string, isOurs: boolean): UsageError {
  return new UsageError(
    message,
    isOurs
      ? 'It starts, stops or is about to have done: run the command again in a moment.'
      : `That process has the store "${visible(folder)}" without a socket, as a program that embeds a host: use its own controls, or stop it.`,
    exitCodes.storeUnusable,
  );
}
