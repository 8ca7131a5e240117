import { Option } from 'commander';
import { visible } from '@dramaturg/compiler/text';
import { folderStorage } from '../../object-storage/folder-storage.ts';
import { isMapStorage, withObjectStorage } from '../../object-storage/object-storage.ts';
import { statusOf } from '../files.ts';
import { UsageError } from '../usage-error.ts';
import { AgentError, type AgentsPort } from './agents-port.ts';

export interface StorageOptions {
  /** A folder that takes the place of S3. */
  readonly s3?: string | undefined;
}

export function storageOption(): Option {
  return new Option(
    '--s3 <folder>',
    'a folder that answers for S3, to read the items of Maps and to write their results: the object "key" of a bucket is <folder>/<bucket>/<key>',
  );
}

/**
 * The agents, with the folder of `--s3` for the actions of S3.
 *
 * @throws UsageError when there is no such folder
 */
export async function withStorage(
  agents: AgentsPort,
  { s3: folder }: StorageOptions,
): Promise<AgentsPort> {
  if (folder === undefined) return agents;
  if (!(await statusOf(folder))?.isDirectory()) {
    throw new UsageError(
      `There is no folder "${visible(folder)}" for --s3.`,
      'Make it, and a folder for each bucket in it.',
    );
  }
  const answer = withObjectStorage(folderStorage(folder), agents);
  return async (call, use) => answer(call, use);
}

/**
 * Refuses an action of S3 that reads the items of a Map, or writes its results: neither the understudy nor a model can answer it.
 *
 * @throws AgentError that says what to give
 */
export function requireStorageFor(agent: string): void {
  if (!isMapStorage(agent)) return;
  throw new AgentError(
    'States.AgentNotFound',
    `There is no object storage for "${agent}". Give a folder with --s3 <folder>, where an object is <folder>/<bucket>/<key>, or export an agent of this name with --agents.`,
  );
}
