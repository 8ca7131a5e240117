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
  /** Ids of records whose log is not empty. */
  readonly unsettled: readonly string[];
}

/** Reads all records once, to know what is there. Damaged ones are set aside, unfinished ones are taken away. */
export async function scan(
  path: string,
  disk: Disk,
  damaged: DamagedFolder,
  onError: (error: StoreError) => void,
): Promise<ScanResult> {
  const index = new RecordIndex();
  const unsettled: string[] = [];
  const records: { summary: MutableRecord['summary']; letters: boolean }[] = [];
  const entries = readdirSync(path, { withFileTypes: true });
  for (const [count, entry] of entries.entries()) {
    // The lock has to be kept while a large store is read.
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
      if (record.logLength > 0) unsettled.push(held.summary.id);
    } catch (error) {
      const damage = toDamageError(error);
      if (damage === undefined) throw error;
      const { trouble } = await damaged.setAside(folder, name, damage, findId(folder, name));
      if (trouble !== undefined) onError(trouble);
    }
  }
  index.putAll(records);
  return { index, unsettled };
}

export function hasLetters({ mailbox, outbox }: MutableRecord): boolean {
  return mailbox.size > 0 || outbox.size > 0;
}

function checkName(id: string, name: string): void {
  if (folderNameOf(id) === name) return;
  throw new DamageError(`Its folder is not named ${folderNameOf(id)}, as its id says.`);
}

/** The id of a damaged record, as far as it can be made out. */
function findId(folder: string, name: string): string | undefined {
  try {
    const { id } = JSON.parse(readFileSync(join(folder, 'record.json'), 'utf8'));
    if (folderNameOf(id) === name) return id;
  } catch {
    // The name of the folder may say it.
  }
  return folderNameOf(name) === name ? name : undefined;
}
