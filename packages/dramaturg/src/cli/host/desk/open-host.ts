import type { Compiled } from '@dramaturg/compiler';
import type { FsyncMode, Limits, StoreError } from '@dramaturg/host';
import { createHost } from '../../../host.ts';
import type { ModelOptions } from '../../model.ts';
import { channelsFor, type Show } from './channels.ts';
import { LocalDesk } from './local-desk.ts';
import { openPlace, type StoreKind } from './store-folder.ts';
import { portsWith } from './host-ports.ts';

export interface HostSettings extends ModelOptions {
  readonly folder: string;
  /** Who this is, for people who find the store in use. */
  readonly name: string;
  readonly show: Show;
  readonly definitions?: Readonly<Record<string, Compiled>>;
  readonly kind?: StoreKind | undefined;
  readonly fsync?: FsyncMode | undefined;
  /** A module. */
  readonly agents?: string | undefined;
  readonly webhook?: string | undefined;
  readonly limits: Limits;
  /** Milliseconds for what is under way. */
  readonly within: number;
  readonly onStoreError?: (error: StoreError) => void;
  readonly onError?: (error: unknown, doing: string) => void;
}

/** Opens a store as its owner, and runs what is in it. */
export async function openHost(settings: HostSettings): Promise<LocalDesk> {
  const { folder, name, show, definitions = {}, webhook, within } = settings;
  const place = await openPlace(folder, {
    kind: settings.kind,
    fsync: settings.fsync,
    ...(settings.onStoreError ? { onError: settings.onStoreError } : {}),
  });
  const channels = channelsFor(webhook, show);
  const ports = await portsWith(settings, () => desk.host);
  const host = await createHost({
    store: place,
    name,
    definitions,
    ports,
    channels,
    limits: settings.limits,
    ...(settings.onError ? { onError: settings.onError } : {}),
  });
  const desk = new LocalDesk(host, { within, channels: Object.keys(channels) });
  return desk;
}
