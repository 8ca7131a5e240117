import { join } from 'node:path';
import { OwnProcess } from '../own-process/own-process.ts';
import type { Population } from './population.ts';
import { type StoreKind, storeFolder } from './stores.ts';

/** The path of a module that measures a host. */
export function inHost(module: string): string {
  return join(import.meta.dirname, module);
}

/** Fills a store in its own process, and returns its folder. */
export async function populated({
  name,
  kind,
  count,
  isOverdue = false,
  waitsFor = 'contact',
}: Population & { readonly name: string; readonly kind: StoreKind }): Promise<string> {
  const folder = storeFolder(`${name}-${kind}`);
  const settings = { kind, folder, count, isOverdue, waitsFor };
  const populating = await OwnProcess.prepared(inHost('populating.ts'), settings);
  await populating.close();
  return folder;
}
