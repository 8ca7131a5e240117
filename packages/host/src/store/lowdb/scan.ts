import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import type { Disk } from '../disk/disk.ts';
import type { StoreError } from '../errors.ts';
import { RecordIndex } from '../index/record-index.ts';
import type { MutableRecord } from '../record-state.ts';
import { DamageError } from '../damage-error.ts';
import { toDamageError } from './to-damage-error.ts';
import type { DamagedFolder } from './damaged-folder.ts';
import { folderNameOf } from './folder-name.ts';
import { RecordFolder } from './record-folder.ts';

export interface ScanResult {
  readonly index: RecordIndex;
  /** The ids of records whose logs are not empty. */
  readonly uncompacted: readonly string[];
}

/**
 * Reads all records once to build the index. Sets damaged records aside and removes records whose creation was
 * interrupted.
 */
export async function scan(
  path: string,
  disk: Disk,
  damaged: DamagedFolder,
  onError: (error: StoreError) => void,
): Promise<ScanResult> {
  const index = new RecordIndex();
  const uncompacted: string[] = [];
  const records: { summary: MutableRecord['summary']; letters: boolean }[] = [];
  const entries = readdirSync(path, { withFileTypes: true });
  for (const [count, entry] of entries.entries()) {
    // Lets timers run while a large store is read, because the owner lock must be renewed.
    if (count % 256 === 255) await nextTick();
    if (!entry.isDirectory()) continue;
    const { name } = entry;
    const folder = join(path, name);
    try {
      const record = new RecordFolder(folder, disk);
      await record.load();
      const { held } = record;
      if (held === undefined) {
        disk.remove(folder, 'folder.sweep');
        continue;
      }
      checkName(held.summary.id, name);
      records.push({ summary: held.summary, letters: hasLetters(held) });
      if (record.logLength > 0) uncompacted.push(held.summary.id);
    } catch (error) {
      const damage = toDamageError(error);
      if (damage === undefined) throw error;
      const { error: failure } = await damaged.setAside(folder, name, damage, findId(folder, name));
      if (failure !== undefined) onError(failure);
    }
  }
  index.putAll(records);
  return { index, uncompacted };
}

export function hasLetters({ mailbox, outbox }: MutableRecord): boolean {
  return mailbox.size > 0 || outbox.size > 0;
}

function checkName(id: string, name: string): void {
  if (folderNameOf(id) === name) return;
  throw new DamageError(`Its folder is not named ${folderNameOf(id)}, as its id requires.`);
}

/** The id of a damaged record, if it can be found out. */
function findId(folder: string, name: string): string | undefined {
  try {
    const { id } = JSON.parse(readFileSync(join(folder, 'record.json'), 'utf8'));
    if (folderNameOf(id) === name) return id;
  } catch {
    // Falls back to the name of the folder.
  }
  return folderNameOf(name) === name ? name : undefined;
}
